//===- Dot.cpp - Matrix products without tensor cores ---------------------===//
//
// Both operands go to shared memory; each thread then walks along K and adds
// the outer product of its rows and columns. Right for every type and shape.
//
// It reads for several steps at once: neighbours of a row by one instruction,
// where a step alone reads an element of each row, and shared memory takes
// longer than the sums do. For the same reason, rows lie there in an order that
// neither who writes nor who reads them meets in one bank.
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

/// The most steps along K for which a thread reads at once, and the most bytes
/// of a row that one instruction reads.
constexpr int64_t kMostSteps = 4, kMostBytes = 16;
/// If the sums of a thread take no more than that, it reads for several steps.
/// With more, there is no room for what is read at once.
constexpr int64_t kMostSumBytes = 512;
/// How often it may read in one turn, and how many products it may compute:
/// beside them, it reads for the next ones.
constexpr int64_t kMostReads = 8, kMostProducts = 512;

/// The steps along K that are read for at once: a power of two that divides
/// their number.
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

/// How often that happens in one turn.
int64_t countReads(cta::DotOp op, int64_t steps) {
  int64_t reads = cta::getTile(op.getA()).getShape().back() / steps;
  int64_t sums = cta::getLayout(op.getType()).getNumRegisters();
  int64_t room = kMostProducts / (steps * sums);
  return std::min({reads, kMostReads, std::max(room, int64_t(1))});
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
  /// in the place of. A turn reads `reads` times for `steps` along it.
  SharedOperand(cta::DotOp op, Value operand, unsigned alongK, int64_t steps,
                int64_t reads, int64_t skipBytes)
      : type(cta::getTile(operand)), alongK(alongK), steps(steps), reads(reads),
        held(getRead(op, steps)),
        layout(cta::chooseSharedLayout(
            type.getShape(), cta::getElementBytes(type), cta::getLayout(type),
            getRead(op, type.getDimSize(alongK)),
            /*minWidth=*/1, cta::hasMatrixStores(op))),
        tile(op, type, layout, skipBytes) {}

  void store(OpBuilder &builder, Location loc, Value vector) const {
    tile.store(builder, loc, vector, cta::getLayout(type));
  }

  /// What a thread reads the time `read` of a turn (i32), as numbers of
  /// `sumType`.
  SmallVector<Value> load(OpBuilder &builder, Location loc, Value turn,
                          int64_t read, Type sumType) const {
    LinearLayout::Bases ofTurns;
    int32_t bits = 0;
    for (int64_t k = steps * reads; k < type.getDimSize(alongK); k *= 2) {
      ofTurns.push_back({layout.getOffset(getFirst(k))});
      bits |= ofTurns.back().front();
    }
    Value start = createCombination(builder, loc, turn, ofTurns, 0);
    Value vector =
        tile.loadFrom(builder, loc, held, getFirst(read * steps), start, bits);
    SmallVector<Value> elements = unpackRegisters(builder, loc, vector);
    for (Value &element : elements)
      element = extendTo(builder, loc, sumType, element);
    return elements;
  }

  /// Which of these a sum at `place` of the result takes in a step.
  unsigned find(cta::Coordinates place, int64_t step) const {
    place[alongK] = step;
    return *held.findRegister(place);
  }

private:
  /// What a thread reads of `count` steps.
  LinearLayout getRead(cta::DotOp op, int64_t count) const {
    LinearLayout sums = cta::getLayout(op.getType());
    LinearLayout ofStep = sums.collapseDimensions({alongK});
    LinearLayout::Bases registers;
    for (int64_t k = 1; k < count; k *= 2)
      registers.push_back(getFirst(k));
    llvm::append_range(registers, ofStep.getRegisters());
    return LinearLayout(sums.getRank(), registers, ofStep.getLanes(),
                        ofStep.getWarps());
  }

  /// The first element of step `k`.
  cta::Coordinates getFirst(int64_t k) const {
    cta::Coordinates first(type.getRank(), 0);
    first[alongK] = k;
    return first;
  }

  RankedTensorType type;
  unsigned alongK;
  int64_t steps, reads;
  LinearLayout held;
  cta::SharedLayout layout;
  SharedTile tile;
};

/// Adds the products of one turn after the other.
class OuterProducts {
public:
  OuterProducts(cta::DotOp op)
      : layout(cta::getLayout(op.getType())),
        size(cta::getTile(op.getA()).getShape().back()), steps(countSteps(op)),
        reads(countReads(op, steps)),
        a(op, op.getA(), layout.getRank() - 1, steps, reads, 0),
        b(op, op.getB(), layout.getRank() - 2, steps, reads,
          cta::getSharedBytes(cta::getTile(op.getA()))) {}

  void store(OpBuilder &builder, Location loc, Value left, Value right) const {
    a.store(builder, loc, left);
    b.store(builder, loc, right);
  }

  int64_t countTurns() const { return size / (steps * reads); }

  /// `sums` and the products of a turn (i32).
  Value add(OpBuilder &builder, Location loc, Value turn, Value sums) const {
    Type sumType = getElementTypeOrSelf(sums.getType());
    SmallVector<Value> elements = unpackRegisters(builder, loc, sums);
    for (int64_t read = 0; read < reads; ++read) {
      SmallVector<Value> left = a.load(builder, loc, turn, read, sumType),
                         right = b.load(builder, loc, turn, read, sumType);
      for (int64_t step = 0; step < steps; ++step)
        for (auto [reg, sum] : llvm::enumerate(elements)) {
          cta::Coordinates place = layout.applyRegister(reg);
          sum = multiplyAdd(builder, loc, left[a.find(place, step)],
                            right[b.find(place, step)], sum);
        }
    }
    return packRegisters(builder, loc, elements);
  }

private:
  LinearLayout layout;
  int64_t size, steps, reads;
  SharedOperand a, b;
};

struct ConvertDot : OpConversionPattern<cta::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OuterProducts products(op);
    products.store(rewriter, loc, adaptor.getA(), adaptor.getB());
    createBarrier(rewriter, loc);
    auto loop = scf::ForOp::create(
        rewriter, loc, createI32(rewriter, loc, 0),
        createI32(rewriter, loc, products.countTurns()),
        createI32(rewriter, loc, 1), adaptor.getAccumulator(),
        [&](OpBuilder &builder, Location loc, Value turn, ValueRange sums) {
          scf::YieldOp::create(builder, loc,
                               products.add(builder, loc, turn, sums.front()));
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
