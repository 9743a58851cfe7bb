//===- Dot.cpp - Matrix products without tensor cores ---------------------===//
//
// Both operands go to shared memory; each thread then walks along K and adds
// the outer product of its rows and columns. Right for every type and shape.
//
// A turn of that walk takes several steps: neighbours of a row are then read by
// one instruction, where a step alone reads an element of each row, and shared
// memory takes longer than the sums do. For the same reason, rows lie there in
// an order that neither who writes nor who reads them meets in one bank.
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
#include "triton-shared/Layout/SharedAccess.h"

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

/// One operand in shared memory. Of its rows, or columns, each thread reads
/// those of its sums.
class SharedOperand {
public:
  /// `alongK` is the dimension of the operand that the result has another one
  /// in the place of; a turn reads `steps` along it.
  SharedOperand(cta::DotOp op, Value operand, unsigned alongK, int64_t steps,
                int64_t skipBytes)
      : type(cta::getTile(operand)), alongK(alongK), steps(steps),
        ofTurn(getRead(op, steps)),
        layout(cta::chooseSharedLayout(
            type.getShape(), cta::getElementBytes(type), cta::getLayout(type),
            getRead(op, type.getDimSize(alongK)),
            /*minWidth=*/1, cta::hasMatrixStores(op))),
        tile(op, type, layout, skipBytes) {}

  void store(OpBuilder &builder, Location loc, Value vector) const {
    tile.store(builder, loc, vector, cta::getLayout(type));
  }

  /// What a thread reads in the turn of this number (i32), as numbers of
  /// `sumType`.
  SmallVector<Value> load(OpBuilder &builder, Location loc, Value turn,
                          Type sumType) const {
    LinearLayout::Bases ofTurns;
    int32_t bits = 0;
    for (int64_t k = steps; k < type.getDimSize(alongK); k *= 2) {
      cta::Coordinates first(type.getRank(), 0);
      first[alongK] = k;
      ofTurns.push_back({layout.getOffset(first)});
      bits |= ofTurns.back().front();
    }
    Value start = createCombination(builder, loc, turn, ofTurns, 0);
    Value vector = tile.loadFrom(builder, loc, ofTurn, start, bits);
    SmallVector<Value> elements = unpackRegisters(builder, loc, vector);
    for (Value &element : elements)
      element = extendTo(builder, loc, sumType, element);
    return elements;
  }

  /// Which of these a sum at `place` of the result takes in a step.
  unsigned find(cta::Coordinates place, int64_t step) const {
    place[alongK] = step;
    return *ofTurn.findRegister(place);
  }

private:
  /// What a thread reads of `count` steps.
  LinearLayout getRead(cta::DotOp op, int64_t count) const {
    LinearLayout sums = cta::getLayout(op.getType());
    LinearLayout ofStep = sums.collapseDimensions({alongK});
    LinearLayout::Bases registers;
    for (int64_t k = 1; k < count; k *= 2) {
      registers.emplace_back(sums.getRank(), 0);
      registers.back()[alongK] = k;
    }
    llvm::append_range(registers, ofStep.getRegisters());
    return LinearLayout(sums.getRank(), registers, ofStep.getLanes(),
                        ofStep.getWarps());
  }

  RankedTensorType type;
  unsigned alongK;
  int64_t steps;
  LinearLayout ofTurn;
  cta::SharedLayout layout;
  SharedTile tile;
};

/// `sums` and the outer products of a turn.
Value addProducts(OpBuilder &builder, Location loc, cta::DotOp op,
                  const SharedOperand &a, const SharedOperand &b, Value turn,
                  int64_t steps, Value sums) {
  LinearLayout layout = cta::getLayout(op.getType());
  Type sumType = getElementTypeOrSelf(sums.getType());
  SmallVector<Value> left = a.load(builder, loc, turn, sumType),
                     right = b.load(builder, loc, turn, sumType),
                     elements = unpackRegisters(builder, loc, sums);
  for (int64_t step = 0; step < steps; ++step)
    for (auto [reg, sum] : llvm::enumerate(elements)) {
      cta::Coordinates place = layout.applyRegister(reg);
      sum = multiplyAdd(builder, loc, left[a.find(place, step)],
                        right[b.find(place, step)], sum);
    }
  return packRegisters(builder, loc, elements);
}

struct ConvertDot : OpConversionPattern<cta::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType left = cta::getTile(op.getA());
    unsigned rank = left.getRank();
    int64_t steps = countSteps(op);
    SharedOperand a(op, op.getA(), rank - 1, steps, 0);
    SharedOperand b(op, op.getB(), rank - 2, steps, cta::getSharedBytes(left));
    a.store(rewriter, loc, adaptor.getA());
    b.store(rewriter, loc, adaptor.getB());
    createBarrier(rewriter, loc);

    auto loop = scf::ForOp::create(
        rewriter, loc, createI32(rewriter, loc, 0),
        createI32(rewriter, loc, left.getShape().back() / steps),
        createI32(rewriter, loc, 1), adaptor.getAccumulator(),
        [&](OpBuilder &builder, Location loc, Value turn, ValueRange sums) {
          scf::YieldOp::create(
              builder, loc,
              addProducts(builder, loc, op, a, b, turn, steps, sums.front()));
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
