//===- Dot.cpp - Matrix products without tensor cores ---------------------===//
//
// Both operands go to shared memory; each thread then walks along K and adds
// the outer product of its rows and columns. Right for every type and shape.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

Value extendTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                  Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(builder, loc, a, b, sum);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// One operand in shared memory, read element by element.
class SharedOperand {
public:
  SharedOperand(cta::DotOp op, Value operand, int64_t skipBytes)
      : type(cta::getTile(operand)), tile(op, type, skipBytes) {}

  void store(OpBuilder &builder, Location loc, Value vector) const {
    tile.store(builder, loc, vector, cta::getLayout(type));
  }

  Value load(OpBuilder &builder, Location loc, ValueRange coordinates,
             Type sumType) const {
    Value index = createI32(builder, loc, 0);
    for (auto [coordinate, size] :
         llvm::zip_equal(coordinates, type.getShape())) {
      index = arith::MulIOp::create(builder, loc, index,
                                    createI32(builder, loc, size));
      index = arith::AddIOp::create(builder, loc, index, coordinate);
    }
    return extendTo(builder, loc, sumType,
                    tile.loadElement(builder, loc, index));
  }

private:
  RankedTensorType type;
  SharedTile tile;
};

struct ConvertDot : OpConversionPattern<cta::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedOperand a(op, op.getA(), 0);
    SharedOperand b(op, op.getB(),
                    cta::getSharedBytes(cta::getTile(op.getA())));
    a.store(rewriter, loc, adaptor.getA());
    b.store(rewriter, loc, adaptor.getB());
    createBarrier(rewriter, loc);

    RankedTensorType aType = cta::getTile(op.getA());
    Value zero = createI32(rewriter, loc, 0), one = createI32(rewriter, loc, 1);
    Value size = createI32(rewriter, loc, aType.getShape().back());
    LinearLayout layout = cta::getLayout(op.getType());
    ElementCoordinates coordinates(rewriter, loc, layout);
    // Made before the loop, which only uses them.
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
      for (unsigned dim = 0; dim < layout.getRank(); ++dim)
        coordinates.get(reg, dim);
    auto loop = scf::ForOp::create(
        rewriter, loc, zero, size, one, adaptor.getAccumulator(),
        [&](OpBuilder &builder, Location loc, Value k, ValueRange sums) {
          Value next = addOuterProduct(builder, loc, layout, coordinates, a, b,
                                       k, sums.front());
          scf::YieldOp::create(builder, loc, next);
        });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

private:
  static Value addOuterProduct(OpBuilder &builder, Location loc,
                               const LinearLayout &layout,
                               ElementCoordinates &coordinates,
                               const SharedOperand &a, const SharedOperand &b,
                               Value k, Value sums) {
    unsigned rank = layout.getRank(), row = rank - 2, column = rank - 1;
    Type sumType = getElementTypeOrSelf(sums.getType());
    SmallVector<Value> elements = unpackRegisters(builder, loc, sums);
    std::map<cta::Coordinates, Value> rows, columns;
    for (auto [reg, sum] : llvm::enumerate(elements)) {
      cta::Coordinates place = layout.applyRegister(reg);
      SmallVector<Value> batch;
      if (rank == 3)
        batch.push_back(coordinates.get(reg, 0));
      cta::Coordinates rowKey(place), columnKey(place);
      rowKey[column] = columnKey[row] = 0;
      Value &left = rows[rowKey];
      if (!left) {
        SmallVector<Value> at(batch);
        at.append({coordinates.get(reg, row), k});
        left = a.load(builder, loc, at, sumType);
      }
      Value &right = columns[columnKey];
      if (!right) {
        SmallVector<Value> at(batch);
        at.append({k, coordinates.get(reg, column)});
        right = b.load(builder, loc, at, sumType);
      }
      sum = multiplyAdd(builder, loc, left, right, sum);
    }
    return packRegisters(builder, loc, elements);
  }
};

} // namespace

void triton_shared::populateCtaToGpuDot(const TypeConverter &types,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertDot>(types, patterns.getContext());
}
