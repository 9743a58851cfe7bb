//===- SplitMaskedLoops.cpp - No mask where it leaves all lanes -----------===//
//
// A loop over vectors asks for each of them which lanes are below a bound:
//
//   scf.for %i = 0 to 1024 step 16 {
//     %mask = arith.cmpi slt, %i + [0 ... 15], %columns
//
// Up to a number of iterations that is known in front of the loop, the answer
// is the same for all lanes. These become a loop of their own, without the
// comparison.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUSPLITMASKEDLOOPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Iterations that are worth a second loop. LLVM unrolls fewer of them, and
/// what is unrolled must not have a bound that is known at run time only.
constexpr int64_t kLeastTurns = 8;

/// `lanes + offset < bound`, or `<=` if `withBound`: true for the first of the
/// numbers 0, 1, 2, ... that the lanes go through, until it is false.
struct Comparison {
  arith::CmpIOp op;
  /// Null for zero.
  Value offset;
  Value bound;
  bool withBound;
  /// What `op` is where the comparison is true.
  bool result;

  /// True if both are true for the same numbers.
  bool isLike(const Comparison &other) const {
    return offset == other.offset && bound == other.bound &&
           withBound == other.withBound;
  }
};

class MaskedLoop {
public:
  explicit MaskedLoop(scf::ForOp loop) : loop(loop) {}

  /// True if the loop is worth splitting.
  bool match();
  void split();

private:
  /// The number that all lanes have, from outside the loop.
  Value findCommon(Value vector);
  /// True for the counter of the loop plus something that is less than its
  /// step.
  bool isCounter(Value index);
  /// True for the counter plus 0, 1, 2, ... in the lanes.
  bool areLanes(Value vector);
  /// The same after a cast to another integer type and plus an offset.
  bool areLanes(Value vector, Value &offset);
  std::optional<Comparison> matchComparison(arith::CmpIOp op);
  /// How many of the numbers from 0 to the end of the loop `comparison` is true
  /// for.
  Value countTrue(OpBuilder &builder, Comparison &comparison);

  scf::ForOp loop;
  int64_t size = 0, step = 0;
  SmallVector<Comparison> comparisons;
};

} // namespace

bool MaskedLoop::match() {
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound()),
                         stride = getConstantIntValue(loop.getStep());
  if (!end || !stride || !isConstantIntValue(loop.getLowerBound(), 0) ||
      *end / *stride < kLeastTurns || *end % *stride != 0)
    return false;
  size = *end;
  step = *stride;
  for (auto op : loop.getBody()->getOps<arith::CmpIOp>())
    if (std::optional<Comparison> comparison = matchComparison(op))
      comparisons.push_back(*comparison);
  return !comparisons.empty();
}

Value MaskedLoop::findCommon(Value vector) {
  auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSourceType()) &&
                 loop.isDefinedOutsideOfLoop(broadcast.getSource())
             ? broadcast.getSource()
             : nullptr;
}

bool MaskedLoop::isCounter(Value index) {
  if (index == loop.getInductionVar())
    return true;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != loop.getInductionVar())
    return false;
  std::optional<int64_t> part = getConstantIntValue(sum.getRhs());
  return part && *part >= 0 && *part < step;
}

bool MaskedLoop::areLanes(Value vector) {
  auto sum = vector.getDefiningOp<arith::AddIOp>();
  if (!sum || !sum.getRhs().getDefiningOp<vector::StepOp>())
    return false;
  auto start = sum.getLhs().getDefiningOp<vector::BroadcastOp>();
  return start && start.getSourceType().isIndex() &&
         isCounter(start.getSource());
}

bool MaskedLoop::areLanes(Value vector, Value &offset) {
  if (auto cast = vector.getDefiningOp<arith::IndexCastOp>()) {
    // Places in a block fit into the integers that Triton counts them by.
    Type type = getElementTypeOrSelf(cast.getType());
    return (type.isInteger(32) || type.isInteger(64)) && areLanes(cast.getIn());
  }
  auto sum = vector.getDefiningOp<arith::AddIOp>();
  if (areLanes(vector) || !sum || offset)
    return areLanes(vector);
  for (auto [lanes, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())})
    if ((offset = findCommon(other)))
      return areLanes(lanes, offset);
  return false;
}

std::optional<Comparison> MaskedLoop::matchComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  bool isLess =
      llvm::is_contained({Predicate::slt, Predicate::sle}, op.getPredicate());
  bool isGreater =
      llvm::is_contained({Predicate::sgt, Predicate::sge}, op.getPredicate());
  if (!isa<VectorType>(op.getType()) || (!isLess && !isGreater))
    return std::nullopt;
  Comparison found = {op, nullptr, findCommon(op.getRhs()), false, isLess};
  Value lanes = op.getLhs();
  if (!found.bound) {
    lanes = op.getRhs();
    found.bound = findCommon(op.getLhs());
    found.result = isGreater;
  }
  if (!found.bound || !areLanes(lanes, found.offset))
    return std::nullopt;
  // `a > b` is where `a <= b` is not.
  bool orEqual =
      llvm::is_contained({Predicate::sle, Predicate::sge}, op.getPredicate());
  found.withBound = orEqual == found.result;
  return found;
}

Value MaskedLoop::countTrue(OpBuilder &builder, Comparison &comparison) {
  Location loc = comparison.op.getLoc();
  Type type = comparison.bound.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  };
  using Predicate = arith::CmpIPredicate;
  Value offset = comparison.offset ? comparison.offset : constant(0);
  Value isAnyTrue =
      compare(comparison.withBound ? Predicate::sle : Predicate::slt, offset,
              comparison.bound);
  // Sums that wrap are not in order.
  Value isInOrder = compare(Predicate::sle, offset,
                            constant(llvm::maxIntN(bits) - (size - 1)));
  // The difference has no sign: it may be too large to have one.
  Value count = arith::SubIOp::create(builder, loc, comparison.bound, offset);
  count = arith::MinUIOp::create(
      builder, loc, count, constant(comparison.withBound ? size - 1 : size));
  if (comparison.withBound)
    count = arith::AddIOp::create(builder, loc, count, constant(1));
  Value hasCount = arith::AndIOp::create(builder, loc, isAnyTrue, isInOrder);
  count = arith::SelectOp::create(builder, loc, hasCount, count, constant(0));
  return getValueOrCreateCastToIndexLike(builder, loc, builder.getIndexType(),
                                         count);
}

void MaskedLoop::split() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value end;
  for (auto [number, comparison] : llvm::enumerate(comparisons)) {
    // Several vectors of one iteration are compared with the same bound.
    if (llvm::any_of(ArrayRef(comparisons).take_front(number),
                     [&like = comparison](const Comparison &earlier) {
                       return earlier.isLike(like);
                     }))
      continue;
    Value count = countTrue(builder, comparison);
    end = end ? arith::MinUIOp::create(builder, loc, end, count) : count;
  }
  Value stride = loop.getStep();
  Value turns = arith::DivUIOp::create(builder, loc, end, stride);
  end = arith::MulIOp::create(builder, loc, turns, stride);

  IRMapping mapping;
  auto whole = cast<scf::ForOp>(builder.clone(*loop, mapping));
  whole.setUpperBound(end);
  for (Comparison &comparison : comparisons) {
    Operation *copy = mapping.lookup(comparison.op.getOperation());
    OpBuilder atCopy(copy);
    auto type = cast<VectorType>(comparison.op.getType());
    copy->replaceAllUsesWith(arith::ConstantOp::create(
        atCopy, loc, DenseElementsAttr::get(type, comparison.result)));
    copy->erase();
  }
  loop.setLowerBound(end);
  loop.getInitArgsMutable().assign(whole.getResults());
}

namespace {

struct CpuSplitMaskedLoops
    : triton_shared::impl::CpuSplitMaskedLoopsBase<CpuSplitMaskedLoops> {
  void runOnOperation() override {
    SmallVector<MaskedLoop> masked;
    getOperation().walk([&](scf::ForOp op) {
      if (MaskedLoop loop(op); loop.match())
        masked.push_back(loop);
    });
    for (MaskedLoop &loop : masked)
      loop.split();
  }
};

} // namespace
