//===- IndexRanges.cpp - What values an index can take --------------------===//

#include "triton-shared/Analysis/IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

using dataflow::IntegerValueRangeLattice;

//===----------------------------------------------------------------------===//
// Interval arithmetic
//===----------------------------------------------------------------------===//

/// A sum that has no bound if a summand has none, or if it does not fit.
static int64_t addEnds(int64_t lhs, int64_t rhs, int64_t unbounded) {
  int64_t sum;
  if (lhs == unbounded || rhs == unbounded || llvm::AddOverflow(lhs, rhs, sum))
    return unbounded;
  return sum;
}

IndexRange triton_shared::operator+(IndexRange lhs, IndexRange rhs) {
  return {addEnds(lhs.low, rhs.low, IndexRange::lowest),
          addEnds(lhs.high, rhs.high, IndexRange::highest)};
}

static bool isUnbounded(int64_t end) {
  return end == IndexRange::lowest || end == IndexRange::highest;
}

static int64_t multiplyEnds(int64_t lhs, int64_t rhs) {
  if (lhs == 0 || rhs == 0)
    return 0;
  int64_t product;
  if (isUnbounded(lhs) || isUnbounded(rhs) ||
      llvm::MulOverflow(lhs, rhs, product))
    return (lhs < 0) == (rhs < 0) ? IndexRange::highest : IndexRange::lowest;
  return product;
}

IndexRange triton_shared::operator*(IndexRange lhs, IndexRange rhs) {
  int64_t products[] = {
      multiplyEnds(lhs.low, rhs.low), multiplyEnds(lhs.low, rhs.high),
      multiplyEnds(lhs.high, rhs.low), multiplyEnds(lhs.high, rhs.high)};
  return {*llvm::min_element(products), *llvm::max_element(products)};
}

static int64_t divideEnds(int64_t dividend, int64_t divisor) {
  if (isUnbounded(dividend))
    return dividend;
  if (divisor == IndexRange::highest)
    return dividend < 0 ? -1 : 0;
  return llvm::divideFloorSigned(dividend, divisor);
}

IndexRange triton_shared::floorDivide(IndexRange dividend, IndexRange divisor) {
  int64_t least = std::max<int64_t>(divisor.low, 1);
  int64_t most = std::max<int64_t>(divisor.high, least);
  return {divideEnds(dividend.low, dividend.low < 0 ? least : most),
          divideEnds(dividend.high, dividend.high < 0 ? most : least)};
}

IndexRange triton_shared::remainder(IndexRange dividend, IndexRange divisor) {
  int64_t least = std::max<int64_t>(divisor.low, 1);
  if (dividend.isWithin(0, least - 1))
    return dividend;
  // A negative divisor leaves the same remainders as its absolute value.
  int64_t size = divisor.low < -IndexRange::highest
                     ? IndexRange::highest
                     : std::max(divisor.high, -divisor.low);
  int64_t high = size == IndexRange::highest ? size : size - 1;
  if (dividend.isNonNegative())
    high = std::min(high, dividend.high);
  return {0, std::max<int64_t>(high, 0)};
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

static IndexRange toIndexRange(const ConstantIntRanges &range) {
  return {range.smin().getSExtValue(), range.smax().getSExtValue()};
}

/// `range` cut down to what `width` bits can hold.
static ConstantIntRanges toConstantRanges(IndexRange range, unsigned width) {
  APInt least = APInt::getSignedMinValue(width);
  APInt most = APInt::getSignedMaxValue(width);
  auto clamp = [&](int64_t value) {
    APInt wide(64, value, /*isSigned=*/true);
    if (wide.slt(least.sext(64)))
      return least;
    return wide.sgt(most.sext(64)) ? most : wide.trunc(width);
  };
  return ConstantIntRanges::fromSigned(clamp(range.low), clamp(range.high));
}

static bool isWideIndex(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(32) || element.isInteger(64) || element.isIndex();
}

/// The sign of what `op` divides by, as far as it does not show in its range.
/// Only what is the same for all elements may be taken for a size.
static DivisorSign getSign(Operation *op, DivisorSign ofScalars) {
  Value divisor = op->getOperand(1);
  bool isUniform = !isa<RankedTensorType>(divisor.getType()) ||
                   divisor.getDefiningOp<tt::SplatOp>();
  return isUniform ? ofScalars : DivisorSign::Unknown;
}

/// C's quotient and remainder of a dividend that is not negative; nothing for
/// other dividends.
static std::optional<IndexRange>
divide(Operation *op, ArrayRef<IndexRange> operands, DivisorSign sign) {
  IndexRange dividend = operands[0], divisor = operands[1];
  if (!dividend.isNonNegative())
    return std::nullopt;
  bool isQuotient = isa<arith::DivSIOp>(op);
  if (sign == DivisorSign::Unknown && divisor.low <= 0) {
    // All bits set, or the dividend, if the divisor is zero.
    IndexRange quotient = dividend * IndexRange{-1, 1};
    quotient.low = std::min<int64_t>(quotient.low, -1);
    return isQuotient ? quotient : IndexRange{0, dividend.high};
  }
  if (divisor.high <= 0)
    return std::nullopt;
  return isQuotient ? floorDivide(dividend, divisor)
                    : remainder(dividend, divisor);
}

static std::optional<IndexRange>
infer(Operation *op, ArrayRef<IndexRange> operands, DivisorSign sign) {
  return TypeSwitch<Operation *, std::optional<IndexRange>>(op)
      .Case<tt::GetProgramIdOp>([](auto) {
        return IndexRange{0, std::numeric_limits<int32_t>::max()};
      })
      .Case<tt::GetNumProgramsOp>([](auto) {
        return IndexRange{1, std::numeric_limits<int32_t>::max()};
      })
      .Case([](tt::MakeRangeOp range) {
        return IndexRange{static_cast<int32_t>(range.getStart()),
                          static_cast<int64_t>(range.getEnd()) - 1};
      })
      .Case<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
            tt::TransOp, tt::UnsplatOp>([&](auto) { return operands[0]; })
      .Case<arith::AddIOp>([&](auto) { return operands[0] + operands[1]; })
      .Case<arith::SubIOp>([&](auto) {
        return operands[0] + operands[1] * IndexRange::constant(-1);
      })
      .Case<arith::MulIOp>([&](auto) { return operands[0] * operands[1]; })
      .Case<arith::DivSIOp, arith::RemSIOp>(
          [&](auto) { return divide(op, operands, getSign(op, sign)); })
      .Case([&](arith::ExtUIOp extend) -> std::optional<IndexRange> {
        // What reaches the limit may have gone past it: without a sign, all
        // bits count.
        bool mayExceed =
            getElementTypeOrSelf(extend.getIn().getType()).isInteger(32) &&
            operands[0].high == std::numeric_limits<int32_t>::max();
        if (!mayExceed)
          return std::nullopt;
        return IndexRange{0, std::numeric_limits<uint32_t>::max()};
      })
      .Default([](auto) { return std::nullopt; });
}

/// Ends that still move after `maxChanges` changes are moved as far as they can
/// go, so that the solver comes to rest, whatever loops a value goes through.
static constexpr unsigned maxChanges = 4;

/// `after` with the ends that differ from `before` moved.
static IntegerValueRange widen(const IntegerValueRange &before,
                               const IntegerValueRange &after) {
  IndexRange old = toIndexRange(before.getValue());
  IndexRange now = toIndexRange(after.getValue());
  return toConstantRanges(
      {now.low < old.low ? IndexRange::lowest : now.low,
       now.high > old.high ? IndexRange::highest : now.high},
      after.getValue().smin().getBitWidth());
}

/// Adds to `assumed` what `condition`, which holds, says about values of its
/// block.
static void assume(Value condition, Block *block,
                   DenseMap<Value, IndexRange> &assumed) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    assume(both.getLhs(), block, assumed);
    assume(both.getRhs(), block, assumed);
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  APInt constant;
  if (!compare || compare.getLhs().getParentBlock() != block ||
      !isWideIndex(compare.getLhs().getType()) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&constant)))
    return;
  IndexRange &range = assumed[compare.getLhs()];
  int64_t limit = constant.getSExtValue();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    range.low = std::max(range.low, limit);
    break;
  case arith::CmpIPredicate::sgt:
    range.low = std::max(range.low, addEnds(limit, 1, IndexRange::highest));
    break;
  case arith::CmpIPredicate::sle:
    range.high = std::min(range.high, limit);
    break;
  case arith::CmpIPredicate::slt:
    range.high = std::min(range.high, addEnds(limit, -1, IndexRange::lowest));
    break;
  default:
    break;
  }
}

/// What is in both; all of `range` if nothing is.
static IndexRange intersect(IndexRange range, IndexRange other) {
  IndexRange both = {std::max(range.low, other.low),
                     std::min(range.high, other.high)};
  return both.low <= both.high ? both : range;
}

/// The range that upstream gives the result of `op`.
static IndexRange
inferUpstream(Operation *op,
              ArrayRef<const IntegerValueRangeLattice *> operands) {
  IndexRange range;
  if (auto inferrable = dyn_cast<InferIntRangeInterface>(op))
    inferrable.inferResultRangesFromOptional(
        llvm::map_to_vector(
            operands, [](const auto *operand) { return operand->getValue(); }),
        [&](Value, const IntegerValueRange &found) {
          if (!found.isUninitialized())
            range = toIndexRange(found.getValue());
        });
  return range;
}

/// What a parameter that the launch fills in can be: a size of the grid, or the
/// place of a program in it.
static std::optional<IndexRange> getGridRange(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : nullptr;
  if (!function)
    return std::nullopt;
  std::optional<tts::ParameterKind> kind =
      tts::KernelSignature(function).findKind(argument);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  // No program runs in an empty grid.
  if (kind && llvm::is_contained(tts::kGridSizes, *kind))
    return IndexRange{1, most};
  if (kind && llvm::is_contained(tts::kProgramIds, *kind))
    return IndexRange{0, most - 1};
  return std::nullopt;
}

void IndexRangeAnalysis::setToEntryState(IntegerValueRangeLattice *lattice) {
  Value value = lattice->getAnchor();
  auto it = assumed.find(value);
  std::optional<IndexRange> range =
      it == assumed.end() ? getGridRange(value) : it->second;
  if (!range)
    return IntegerRangeAnalysis::setToEntryState(lattice);
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  propagateIfChanged(lattice, lattice->join(IntegerValueRange(toConstantRanges(
                                  intersect(IndexRange(), *range), width))));
}

LogicalResult IndexRangeAnalysis::initialize(Operation *top) {
  top->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "llvm.intr.assume")
      assume(op->getOperand(0), op->getBlock(), assumed);
  });
  return IntegerRangeAnalysis::initialize(top);
}

LogicalResult IndexRangeAnalysis::visitOperation(
    Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
    ArrayRef<IntegerValueRangeLattice *> results) {
  auto before = llvm::map_to_vector(
      results, [](const auto *result) { return result->getValue(); });
  if (failed(visitOnce(op, operands, results)))
    return failure();
  for (auto [old, result] : llvm::zip_equal(before, results)) {
    if (old.isUninitialized() || old == result->getValue() ||
        !isWideIndex(result->getAnchor().getType()))
      continue;
    if (++numChanges[result] > maxChanges)
      propagateIfChanged(result, result->join(widen(old, result->getValue())));
  }
  return success();
}

/// Joins what `op` gives for these operands.
LogicalResult IndexRangeAnalysis::visitOnce(
    Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
    ArrayRef<IntegerValueRangeLattice *> results) {
  bool isReached = llvm::none_of(operands, [](const auto *operand) {
    return operand->getValue().isUninitialized();
  });
  std::optional<IndexRange> range;
  if (isReached && op->getNumResults() == 1 &&
      isWideIndex(op->getResult(0).getType()))
    range = infer(op,
                  llvm::map_to_vector(operands,
                                      [](const auto *operand) {
                                        return toIndexRange(
                                            operand->getValue().getValue());
                                      }),
                  sign);
  auto it =
      op->getNumResults() == 1 ? assumed.find(op->getResult(0)) : assumed.end();
  if (isReached && it != assumed.end())
    range = intersect(range ? *range : inferUpstream(op, operands), it->second);
  if (!range)
    return IntegerRangeAnalysis::visitOperation(op, operands, results);
  unsigned width =
      ConstantIntRanges::getStorageBitwidth(op->getResult(0).getType());
  propagateIfChanged(results[0], results[0]->join(IntegerValueRange(
                                     toConstantRanges(*range, width))));
  return success();
}

IndexRange triton_shared::getSolvedRange(const DataFlowSolver &solver,
                                         Value value) {
  const auto *lattice = solver.lookupState<IntegerValueRangeLattice>(value);
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  if (lattice && !lattice->getValue().isUninitialized() &&
      lattice->getValue().getValue().smin().getBitWidth() == width &&
      width != 0)
    return toIndexRange(lattice->getValue().getValue());
  if (width == 0 || width > 64)
    return {};
  return toIndexRange(ConstantIntRanges::maxRange(width));
}
