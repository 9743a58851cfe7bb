//===- SumInThreads.cpp - Sums of a softmax that threads have parts of ----===//
//
// A turn of a softmax adds up the powers of each row, and threads that share a
// row tell each other their parts. Nobody asks for the sum before the loop is
// over: what is there is multiplied by one number for the row, and more is
// added. So each thread goes on with its own part, and the parts are added up
// behind the loop.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASUMINTHREADS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

//===----------------------------------------------------------------------===//
// What is carried
//===----------------------------------------------------------------------===//

namespace {

/// A sum that a loop carries: of powers, times a power that is no larger than
/// one, and more powers.
struct CarriedSum {
  BlockArgument before;
  arith::MulFOp product;
  Value power;
  cta::ReduceOp reduce;
  arith::AddFOp next;
};

} // namespace

static bool isPower(Operation *op) {
  return isa_and_nonnull<math::ExpOp, math::Exp2Op>(op);
}

/// True if `value` is `least`, or the larger one of that and something else.
static bool isAtLeast(Value value, Value least) {
  if (value == least)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op))
    return isAtLeast(choice.getTrueValue(), least) &&
           isAtLeast(choice.getFalseValue(), least);
  return isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(op) &&
         llvm::is_contained(op->getOperands(), least);
}

/// True for the power of a number that is not above zero, if it is one.
static bool isAtMostOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isPower(op))
    return false;
  Value exponent = op->getOperand(0);
  if (auto product = exponent.getDefiningOp<arith::MulFOp>()) {
    DenseElementsAttr factor;
    if (!matchPattern(product.getRhs(), m_Constant(&factor)) ||
        !factor.isSplat() || factor.getSplatValue<APFloat>().isNegative())
      return false;
    exponent = product.getLhs();
  }
  auto difference = exponent.getDefiningOp<arith::SubFOp>();
  return difference && isAtLeast(difference.getRhs(), difference.getLhs());
}

/// True if `reduce` adds up powers, and its sum is asked for once.
static bool addsPowers(cta::ReduceOp reduce) {
  return cta::addsUp(reduce) && reduce.getResult(0).hasOneUse() &&
         isPower(reduce.getSources().front().getDefiningOp());
}

/// The sum that `before` is, if it is one.
static std::optional<CarriedSum> findSum(scf::ForOp loop,
                                         BlockArgument before) {
  auto next = loop.getTiedLoopYieldedValue(before)
                  ->get()
                  .getDefiningOp<arith::AddFOp>();
  if (!isa<RankedTensorType>(before.getType()) || !before.hasOneUse() ||
      !next || !next->hasOneUse() || next->getBlock() != loop.getBody())
    return std::nullopt;
  for (auto [one, other] : {std::pair(next.getLhs(), next.getRhs()),
                            std::pair(next.getRhs(), next.getLhs())}) {
    auto product = one.getDefiningOp<arith::MulFOp>();
    auto reduce = other.getDefiningOp<cta::ReduceOp>();
    if (!product || !product->hasOneUse() || !reduce || !addsPowers(reduce))
      continue;
    bool isLeft = product.getLhs() == before;
    Value power = isLeft ? product.getRhs() : product.getLhs();
    if ((isLeft || product.getRhs() == before) && isAtMostOne(power))
      return CarriedSum{before, product, power, reduce, next};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {

/// How an axis falls into what one thread has and what tells threads apart.
class AxisParts {
public:
  /// Nothing if a thread has all of it, or bits mean several things.
  static std::optional<AxisParts> find(const LinearLayout &layout,
                                       unsigned axis, int64_t size) {
    AxisParts parts(axis);
    int64_t seen = 0, ofThreads = 0;
    for (const LinearLayout::Bases *bases :
         {&layout.getRegisters(), &layout.getLanes(), &layout.getWarps()})
      for (const cta::Coordinates &basis : *bases) {
        int64_t bit = basis[axis];
        if (!bit)
          continue;
        bool isAlone = llvm::count_if(basis, [](int32_t c) { return c; }) == 1;
        if (!isAlone || !llvm::isPowerOf2_64(bit) || (seen & bit))
          return std::nullopt;
        seen |= bit;
        if (bases != &layout.getRegisters())
          ofThreads |= bit;
      }
    if (seen != size - 1 || !ofThreads)
      return std::nullopt;
    // Each run of bits of one kind is a dimension.
    for (int64_t bit = size / 2; bit; bit /= 2) {
      bool isOfThreads = ofThreads & bit;
      if (parts.runs.empty() || parts.runs.back().isOfThreads != isOfThreads)
        parts.runs.push_back({isOfThreads, 1});
      parts.runs.back().size *= 2;
    }
    return parts;
  }

  /// The tile that is left of `all` if each thread adds up what it has: the
  /// axis is as long as there are threads.
  RankedTensorType getPartType(RankedTensorType all) const {
    SmallVector<int64_t> shape = split(all.getShape()), left(all.getShape());
    LinearLayout layout = cta::getLayout(all).reshape(left, shape);
    for (size_t i = runs.size(); i-- > 0;)
      if (!runs[i].isOfThreads) {
        layout = layout.dropDimension(axis + i);
        shape.erase(shape.begin() + axis + i);
        left[axis] /= runs[i].size;
      }
    return getTileType(left, all.getElementType(), layout.reshape(shape, left));
  }

  /// Those sums.
  Value sumInThreads(OpBuilder &builder, cta::ReduceOp reduce) const {
    Value sum = reduce.getSources().front();
    RankedTensorType all = cta::getTile(sum);
    sum = reshape(builder, sum, split(all.getShape()));
    for (size_t i = runs.size(); i-- > 0;)
      if (!runs[i].isOfThreads)
        sum = reduceAlong(builder, reduce, sum, axis + i);
    return reshape(builder, sum, getPartType(all).getShape());
  }

  /// `row`, which has one number for each row, with one for each part.
  Value repeat(OpBuilder &builder, Value row, RankedTensorType type) const {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    RankedTensorType column =
        getTileType(shape, type.getElementType(),
                    cta::getLayout(type).collapseDimensions(axis));
    Location loc = row.getLoc();
    row = cta::ReshapeOp::create(builder, loc, column, row);
    return cta::BroadcastOp::create(builder, loc, type, row);
  }

  /// The parts of `row` of which the first thread has all.
  Value keepInFirst(OpBuilder &builder, Value row,
                    RankedTensorType type) const {
    Location loc = row.getLoc();
    // Another loop has left it so.
    auto reduce = row.getDefiningOp<cta::ReduceOp>();
    if (reduce && cta::addsUp(reduce) && reduce.getAxis() == axis &&
        reduce.getSources().front().getType() == type)
      return reduce.getSources().front();
    auto zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    if (matchPattern(row, m_AnyZeroFloat()))
      return zero;
    RankedTensorType indices = type.clone(builder.getI32Type());
    Value number = cta::IotaOp::create(builder, loc, indices, axis);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, number,
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(indices)));
    return arith::SelectOp::create(builder, loc, isFirst,
                                   repeat(builder, row, type), zero);
  }

  /// All parts of each row, added up.
  static Value addUp(OpBuilder &builder, cta::ReduceOp reduce, Value parts) {
    return reduceAlong(builder, reduce, parts, reduce.getAxis());
  }

private:
  struct Run {
    bool isOfThreads;
    int64_t size;
  };

  explicit AxisParts(unsigned axis) : axis(axis) {}

  /// `shape` with a dimension for each run in the place of the axis.
  SmallVector<int64_t> split(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> parts(shape.take_front(axis));
    for (const Run &run : runs)
      parts.push_back(run.size);
    llvm::append_range(parts, shape.drop_front(axis + 1));
    return parts;
  }

  static RankedTensorType getTileType(ArrayRef<int64_t> shape, Type element,
                                      const LinearLayout &layout) {
    return cast<RankedTensorType>(
        cta::withLayout(RankedTensorType::get(shape, element), layout));
  }

  static Value reshape(OpBuilder &builder, Value tile,
                       ArrayRef<int64_t> shape) {
    RankedTensorType from = cta::getTile(tile);
    if (from.getShape() == shape)
      return tile;
    RankedTensorType type =
        getTileType(shape, from.getElementType(),
                    cta::getLayout(from).reshape(from.getShape(), shape));
    return cta::ReshapeOp::create(builder, tile.getLoc(), type, tile);
  }

  static Value reduceAlong(OpBuilder &builder, cta::ReduceOp like, Value tile,
                           unsigned axis) {
    RankedTensorType from = cta::getTile(tile);
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + axis);
    RankedTensorType type = getTileType(
        shape, from.getElementType(), cta::getLayout(from).dropDimension(axis));
    auto reduce =
        cta::ReduceOp::create(builder, like.getLoc(), type, tile, axis);
    IRMapping same;
    like.getCombine().cloneInto(&reduce.getCombine(), same);
    return reduce.getResult(0);
  }

  unsigned axis;
  /// From the highest bit of the coordinate on.
  SmallVector<Run> runs;
};

} // namespace

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// What the loop carries in the place of `sum`, at the end of a turn; `before`
/// is what it began with.
static Value createNext(OpBuilder &builder, const CarriedSum &sum,
                        const AxisParts &parts, Value before) {
  arith::MulFOp product = sum.product;
  arith::AddFOp next = sum.next;
  builder.setInsertionPoint(next);
  Value power = parts.repeat(builder, sum.power, cta::getTile(before));
  Value scaled = arith::MulFOp::create(builder, product.getLoc(), before, power,
                                       product.getFastmath());
  return arith::AddFOp::create(builder, next.getLoc(), scaled,
                               parts.sumInThreads(builder, sum.reduce),
                               next.getFastmath());
}

static void carryParts(IRRewriter &rewriter, scf::ForOp loop) {
  SmallVector<std::pair<CarriedSum, AxisParts>> sums;
  SmallVector<Value> inits;
  SmallVector<unsigned> numbers;
  rewriter.setInsertionPoint(loop);
  for (BlockArgument carried : loop.getRegionIterArgs()) {
    std::optional<CarriedSum> sum = findSum(loop, carried);
    if (!sum)
      continue;
    RankedTensorType all = cta::getTile(sum->reduce.getSources().front());
    unsigned axis = sum->reduce.getAxis();
    std::optional<AxisParts> parts =
        AxisParts::find(cta::getLayout(all), axis, all.getDimSize(axis));
    if (!parts)
      continue;
    sums.push_back({*sum, *parts});
    inits.push_back(parts->keepInFirst(rewriter,
                                       loop.getTiedLoopInit(carried)->get(),
                                       parts->getPartType(all)));
    numbers.push_back(loop.getTiedLoopResult(carried).getResultNumber());
  }
  if (sums.empty())
    return;
  auto replaced = *loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> before) {
        OpBuilder::InsertionGuard guard(builder);
        SmallVector<Value> after;
        for (auto [sum, argument] : llvm::zip_equal(sums, before))
          after.push_back(createNext(builder, sum.first, sum.second, argument));
        return after;
      });
  auto carrying = cast<scf::ForOp>(replaced.getOperation());
  rewriter.setInsertionPointAfter(carrying);
  unsigned first = carrying.getNumResults() - sums.size();
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value sum = AxisParts::addUp(rewriter, sums[i].first.reduce,
                                 carrying.getResult(first + i));
    rewriter.replaceAllUsesWith(carrying.getResult(number), sum);
    // What nobody asks for is what it was: clean-ups remove it then.
    (*carrying.getYieldedValuesMutable())[number].set(
        carrying.getRegionIterArg(number));
  }
}

namespace {

struct CtaSumInThreads
    : triton_shared::impl::CtaSumInThreadsBase<CtaSumInThreads> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      carryParts(rewriter, loop);
  }
};

} // namespace
