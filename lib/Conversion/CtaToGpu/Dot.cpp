//===- Dot.cpp - Matrix products without tensor cores ---------------------===//
//
// Both operands go to shared memory; each thread then walks along K and adds
// the outer product of its rows and columns. Right for every type and shape.
//
// A turn of that walk takes several steps: neighbours of a row are then read by
// one instruction, where a step alone reads an element of each row, and shared
// memory takes longer than the sums do.
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

/// The most steps along K that one turn takes, and the most bytes of a row that
/// one instruction reads.
constexpr int64_t kMostSteps = 4, kMostBytes = 16;
/// If the sums of a thread take no more than that, a turn takes several
/// steps. With more, there is no room for what is read at once.
constexpr int64_t kMostSumBytes = 512;

/// The steps along K that one turn takes: a power of two that divides `size`.
int64_t countSteps(cta::DotOp op) {
  RankedTensorType a = cta::getTile(op.getA()),
                   sums = cta::getTile(op.getResult());
  int64_t sumBytes = cta::getLayout(sums).getNumRegisters() *
                     cta::getElementBytes(sums.getElementType());
  if (sumBytes > kMostSumBytes)
    return 1;
  return std::min({a.getShape().back(), kMostSteps,
                   kMostBytes / cta::getElementBytes(a.getElementType())});
}

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
    Value index = createIndex(builder, loc, coordinates);
    return extendTo(builder, loc, sumType,
                    tile.loadElement(builder, loc, index));
  }

  /// The elements from `coordinates` on, along the last dimension.
  SmallVector<Value> loadRow(OpBuilder &builder, Location loc,
                             ValueRange coordinates, int64_t count,
                             Type sumType) const {
    Value index = createIndex(builder, loc, coordinates);
    Value vector = tile.loadNeighbours(builder, loc, index, count);
    SmallVector<Value> elements = unpackRegisters(builder, loc, vector);
    for (Value &element : elements)
      element = extendTo(builder, loc, sumType, element);
    return elements;
  }

private:
  Value createIndex(OpBuilder &builder, Location loc,
                    ValueRange coordinates) const {
    Value index = createI32(builder, loc, 0);
    for (auto [coordinate, size] :
         llvm::zip_equal(coordinates, type.getShape())) {
      index = arith::MulIOp::create(builder, loc, index,
                                    createI32(builder, loc, size));
      index = arith::AddIOp::create(builder, loc, index, coordinate);
    }
    return index;
  }

  RankedTensorType type;
  SharedTile tile;
};

/// What a thread adds to its elements of the result.
class OuterProducts {
public:
  OuterProducts(OpBuilder &builder, cta::DotOp op, const SharedOperand &a,
                const SharedOperand &b)
      : layout(cta::getLayout(op.getType())), rank(layout.getRank()),
        coordinates(builder, op.getLoc(), layout), a(a), b(b) {
    // Made before the loop, which only uses them.
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
      for (unsigned dim = 0; dim < rank; ++dim)
        coordinates.get(reg, dim);
  }

  /// `sums` and `steps` outer products, from step `first` on.
  Value add(OpBuilder &builder, Location loc, Value first, int64_t steps,
            Value sums) {
    Type sumType = getElementTypeOrSelf(sums.getType());
    SmallVector<Value> elements = unpackRegisters(builder, loc, sums);
    std::map<cta::Coordinates, SmallVector<Value>> rows;
    for (int64_t step = 0; step < steps; ++step) {
      Value k = arith::AddIOp::create(builder, loc, first,
                                      createI32(builder, loc, step));
      std::map<cta::Coordinates, Value> columns;
      for (auto [reg, sum] : llvm::enumerate(elements)) {
        SmallVector<Value> &left = rows[getPlace(reg, /*without=*/rank - 1)];
        if (left.empty())
          left = a.loadRow(
              builder, loc,
              getBatchAnd(reg, {coordinates.get(reg, rank - 2), first}), steps,
              sumType);
        Value &right = columns[getPlace(reg, /*without=*/rank - 2)];
        if (!right)
          right = b.load(builder, loc,
                         getBatchAnd(reg, {k, coordinates.get(reg, rank - 1)}),
                         sumType);
        sum = multiplyAdd(builder, loc, left[step], right, sum);
      }
    }
    return packRegisters(builder, loc, elements);
  }

private:
  cta::Coordinates getPlace(unsigned reg, unsigned without) const {
    cta::Coordinates place = layout.applyRegister(reg);
    place[without] = 0;
    return place;
  }

  SmallVector<Value> getBatchAnd(unsigned reg, ArrayRef<Value> others) {
    SmallVector<Value> all;
    if (rank == 3)
      all.push_back(coordinates.get(reg, 0));
    llvm::append_range(all, others);
    return all;
  }

  LinearLayout layout;
  unsigned rank;
  ElementCoordinates coordinates;
  const SharedOperand &a, &b;
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

    int64_t size = cta::getTile(op.getA()).getShape().back();
    int64_t steps = countSteps(op);
    OuterProducts products(rewriter, op, a, b);
    auto loop = scf::ForOp::create(
        rewriter, loc, createI32(rewriter, loc, 0),
        createI32(rewriter, loc, size), createI32(rewriter, loc, steps),
        adaptor.getAccumulator(),
        [&](OpBuilder &builder, Location loc, Value first, ValueRange sums) {
          scf::YieldOp::create(
              builder, loc,
              products.add(builder, loc, first, steps, sums.front()));
        });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuDot(const TypeConverter &types,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertDot>(types, patterns.getContext());
}
