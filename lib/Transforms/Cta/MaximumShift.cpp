//===- MaximumShift.cpp - What becomes of values with another maximum -----===//

#include "MaximumShift.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::triton_shared;

using Kind = Shift::Kind;
using Terms = std::map<Shift::Variable, Shift::Factor>;

/// log2(e).
static constexpr double kLog2E = 1.4426950408889634;

/// A sum may be 2^8 times as large as it would be, which any type must hold
/// that it becomes.
static constexpr double kLargestPower = 256;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// True if both are one number, but for how it was written down.
static bool isClose(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

/// `left` and `sign` times `right`; nothing if scalars cannot be told apart.
static std::optional<Terms> add(Terms left, const Terms &right, double sign) {
  for (const auto &[variable, factor] : right) {
    auto [found, isNew] =
        left.insert({variable, {sign * factor.number, factor.scalar}});
    if (isNew)
      continue;
    if (found->second.scalar != factor.scalar)
      return std::nullopt;
    if (isClose(found->second.number, -sign * factor.number))
      left.erase(found);
    else
      found->second.number += sign * factor.number;
  }
  return left;
}

static bool areEqual(const Terms &left, const Terms &right) {
  std::optional<Terms> difference = add(left, right, -1);
  return difference && difference->empty();
}

static std::optional<Terms> multiply(Terms terms, const Shift::Factor &by) {
  for (auto &[variable, factor] : terms) {
    if (by.scalar && factor.scalar)
      return std::nullopt;
    factor.number *= by.number;
    if (by.scalar)
      factor.scalar = by.scalar;
  }
  return terms;
}

/// The number that all elements of `tile` are; nothing if it is not known.
static std::optional<Shift::Factor> findUniform(Value tile) {
  while (auto op = tile.getDefiningOp()) {
    if (!isa<cta::BroadcastOp, cta::ReshapeOp, cta::TransposeOp>(op))
      break;
    tile = op->getOperand(0);
  }
  DenseElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat() &&
      isa<FloatType>(elements.getElementType()))
    return Shift::Factor{elements.getSplatValue<APFloat>().convertToDouble(),
                         Value()};
  if (auto splat = tile.getDefiningOp<cta::SplatOp>())
    return Shift::Factor{1, splat.getSource()};
  return std::nullopt;
}

/// The constant that all elements of `tile` are.
static std::optional<double> findConstant(Value tile) {
  std::optional<Shift::Factor> factor = findUniform(tile);
  return factor && !factor->scalar ? std::optional(factor->number)
                                   : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// Follows values from operation to operation.
class ShiftFollower {
public:
  const Shift &get(Value value) const {
    static const Shift same;
    auto found = shifts.find(value);
    return found == shifts.end() ? same : found->second;
  }
  void set(Value value, Shift shift) { shifts[value] = std::move(shift); }
  void clear() {
    shifts.clear();
    infiniteRows.clear();
  }

  bool hasShifted(ValueRange values) const {
    return llvm::any_of(values,
                        [&](Value value) { return !get(value).isSame(); });
  }

  /// What `op`, which has shifted operands, makes of them; false if its results
  /// are no shift of what they were.
  bool follow(Operation *op);

private:
  bool put(Value value, const Shift &like, Kind kind,
           std::optional<Terms> terms) {
    if (!terms)
      return false;
    if (terms->empty())
      set(value, {});
    else
      set(value, {kind, std::move(*terms), like.rows});
    return true;
  }
  bool copy(Value value, const Shift &like) {
    set(value, like);
    return true;
  }

  bool followSum(Operation *op, double sign);
  bool followProduct(arith::MulFOp op);
  bool followQuotient(arith::DivFOp op);
  bool followPower(Operation *op, double perUnit);
  bool followLogarithm(Operation *op, double perUnit);
  bool followComparison(arith::CmpFOp op);
  bool followSelect(arith::SelectOp op);
  bool followReshape(cta::ReshapeOp op);
  bool followReduce(cta::ReduceOp op);
  bool followDot(cta::DotOp op);
  bool followNarrowing(arith::TruncFOp op);

  DenseMap<Value, Shift> shifts;
  /// Of a comparison: the tile that it compares with infinity, and whether it
  /// is true where that is infinite.
  DenseMap<Value, std::pair<Value, bool>> infiniteRows;
};

} // namespace

/// True if what `op` rounds to is narrower than f32.
static bool isNarrow(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() < 32;
}

bool ShiftFollower::follow(Operation *op) {
  // Sums of narrow numbers could become infinite.
  bool isForProducts = isa<cta::DotOp, cta::BroadcastOp, cta::ReshapeOp,
                           cta::TransposeOp, arith::ExtFOp>(op);
  for (Value operand : op->getOperands())
    if (!get(operand).isSame() && isNarrow(operand) && !isForProducts)
      return false;
  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddFOp>([&](auto) { return followSum(op, 1); })
      .Case<arith::SubFOp>([&](auto) { return followSum(op, -1); })
      .Case<arith::MulFOp>([&](auto mul) { return followProduct(mul); })
      .Case<arith::DivFOp>([&](auto div) { return followQuotient(div); })
      .Case<arith::NegFOp>([&](auto negation) {
        const Shift &of = get(negation.getOperand());
        double sign = of.kind == Kind::Added ? -1 : 1;
        return put(negation.getResult(), of, of.kind,
                   multiply(of.terms, {sign, Value()}));
      })
      .Case<math::Exp2Op>([&](auto) { return followPower(op, 1); })
      .Case<math::ExpOp>([&](auto) { return followPower(op, kLog2E); })
      .Case<math::Log2Op>([&](auto) { return followLogarithm(op, 1); })
      .Case<math::LogOp>([&](auto) { return followLogarithm(op, 1 / kLog2E); })
      .Case<arith::CmpFOp>([&](auto cmp) { return followComparison(cmp); })
      .Case<arith::SelectOp>([&](auto select) { return followSelect(select); })
      .Case<arith::TruncFOp>([&](auto cast) { return followNarrowing(cast); })
      .Case<arith::ExtFOp, cta::BroadcastOp>(
          [&](auto) { return copy(op->getResult(0), get(op->getOperand(0))); })
      .Case<cta::TransposeOp>([&](auto transpose) {
        Shift shift = get(transpose.getSource());
        ArrayRef<int64_t> permutation = transpose.getPermutation();
        shift.rows = llvm::find(permutation, shift.rows) - permutation.begin();
        return copy(transpose.getResult(), shift);
      })
      .Case<cta::ReshapeOp>(
          [&](auto reshape) { return followReshape(reshape); })
      .Case<cta::ReduceOp>([&](auto reduce) { return followReduce(reduce); })
      .Case<cta::DotOp>([&](auto dot) { return followDot(dot); })
      .Default([](auto) { return false; });
}

bool ShiftFollower::followSum(Operation *op, double sign) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  const Shift &a = get(left), &b = get(right);
  Value result = op->getResult(0);
  if (a.kind == Kind::Scaled || b.kind == Kind::Scaled) {
    if (a.kind == b.kind && a.rows == b.rows && areEqual(a.terms, b.terms))
      return copy(result, a);
    // Nothing added to it.
    if (b.isSame() && findConstant(right) == 0.0)
      return copy(result, a);
    return a.isSame() && findConstant(left) == 0.0 && copy(result, b);
  }
  if (!a.isSame() && !b.isSame() && a.rows != b.rows)
    return false;
  return put(result, a.isSame() ? b : a, Kind::Added,
             add(a.terms, b.terms, sign));
}

bool ShiftFollower::followProduct(arith::MulFOp op) {
  const Shift &a = get(op.getLhs()), &b = get(op.getRhs());
  if (a.kind == Kind::Added || b.kind == Kind::Added) {
    bool isLeft = a.kind == Kind::Added;
    const Shift &shifted = isLeft ? a : b, &other = isLeft ? b : a;
    std::optional<Shift::Factor> factor =
        findUniform(isLeft ? op.getRhs() : op.getLhs());
    return other.isSame() && factor &&
           put(op.getResult(), shifted, Kind::Added,
               multiply(shifted.terms, *factor));
  }
  if (!a.isSame() && !b.isSame() && a.rows != b.rows)
    return false;
  return put(op.getResult(), a.isSame() ? b : a, Kind::Scaled,
             add(a.terms, b.terms, 1));
}

bool ShiftFollower::followQuotient(arith::DivFOp op) {
  const Shift &a = get(op.getLhs()), &b = get(op.getRhs());
  if (a.kind == Kind::Added) {
    std::optional<double> by = findConstant(op.getRhs());
    return by && *by != 0 &&
           put(op.getResult(), a, Kind::Added,
               multiply(a.terms, {1 / *by, Value()}));
  }
  if (b.kind == Kind::Added || (!a.isSame() && !b.isSame() && a.rows != b.rows))
    return false;
  return put(op.getResult(), a.isSame() ? b : a, Kind::Scaled,
             add(a.terms, b.terms, -1));
}

/// `perUnit` is the logarithm to base two of what is raised to a power.
bool ShiftFollower::followPower(Operation *op, double perUnit) {
  const Shift &of = get(op->getOperand(0));
  return of.kind == Kind::Added && put(op->getResult(0), of, Kind::Scaled,
                                       multiply(of.terms, {perUnit, Value()}));
}

bool ShiftFollower::followLogarithm(Operation *op, double perUnit) {
  const Shift &of = get(op->getOperand(0));
  return of.kind == Kind::Scaled && put(op->getResult(0), of, Kind::Added,
                                        multiply(of.terms, {perUnit, Value()}));
}

/// Whether a maximum is infinite, and whether a sum is zero, stays as it is.
bool ShiftFollower::followComparison(arith::CmpFOp op) {
  const Shift &of = get(op.getLhs());
  std::optional<double> with = findConstant(op.getRhs());
  if (!with)
    return false;
  if (of.kind == Kind::Scaled)
    return *with == 0;
  using Predicate = arith::CmpFPredicate;
  Predicate how = op.getPredicate();
  if (!std::isinf(*with))
    return false;
  if (how == Predicate::OEQ || how == Predicate::UEQ)
    infiniteRows[op.getResult()] = {op.getLhs(), true};
  else if (how == Predicate::ONE || how == Predicate::UNE)
    infiniteRows[op.getResult()] = {op.getLhs(), false};
  return true;
}

bool ShiftFollower::followSelect(arith::SelectOp op) {
  const Shift &a = get(op.getTrueValue()), &b = get(op.getFalseValue());
  if (!a.isSame() && !b.isSame())
    return a.kind == b.kind && a.rows == b.rows && areEqual(a.terms, b.terms) &&
           copy(op.getResult(), a);
  bool isTrueShifted = !a.isSame();
  const Shift &shifted = isTrueShifted ? a : b;
  std::optional<double> other =
      findConstant(isTrueShifted ? op.getFalseValue() : op.getTrueValue());
  if (other &&
      (shifted.kind == Kind::Scaled ? *other == 0 : std::isinf(*other)))
    return copy(op.getResult(), shifted);
  // A maximum that is infinite is what it was, so it may become anything.
  auto test = infiniteRows.find(op.getCondition());
  if (test == infiniteRows.end() || shifted.kind != Kind::Added)
    return false;
  auto [tested, isTrueWhereInfinite] = test->second;
  return isTrueWhereInfinite != isTrueShifted &&
         areEqual(get(tested).terms, shifted.terms) &&
         copy(op.getResult(), shifted);
}

/// The rows must stay one dimension.
bool ShiftFollower::followReshape(cta::ReshapeOp op) {
  Shift shift = get(op.getSource());
  ArrayRef<int64_t> from = cta::getTile(op.getSource()).getShape();
  ArrayRef<int64_t> to = cta::getTile(op.getResult()).getShape();
  int64_t inner = llvm::product_of(from.drop_front(shift.rows + 1));
  for (int64_t dim = 0, rank = to.size(); dim < rank; ++dim)
    if (to[dim] == from[shift.rows] &&
        llvm::product_of(to.drop_front(dim + 1)) == inner) {
      shift.rows = dim;
      return copy(op.getResult(), shift);
    }
  return false;
}

/// Sums along rows.
bool ShiftFollower::followReduce(cta::ReduceOp op) {
  if (!cta::addsUp(op))
    return false;
  Shift shift = get(op.getSources().front());
  int64_t axis = op.getAxis();
  if (shift.kind != Kind::Scaled || shift.rows == axis ||
      !isa<RankedTensorType>(op.getResult(0).getType()))
    return false;
  if (shift.rows > axis)
    --shift.rows;
  return copy(op.getResult(0), shift);
}

bool ShiftFollower::followDot(cta::DotOp op) {
  const Shift &a = get(op.getA()), &b = get(op.getB());
  const Shift &sum = get(op.getAccumulator());
  if (isNarrow(op.getResult()) || a.isSame() == b.isSame())
    return false;
  int64_t rank = cta::getTile(op.getResult()).getRank();
  // The left operand's rows are those of the result, the right one's columns.
  const Shift &shifted = a.isSame() ? b : a;
  bool isAlong = shifted.rows == (a.isSame() ? rank - 1 : rank - 2);
  bool isAdded = sum.isSame()
                     ? findConstant(op.getAccumulator()) == 0.0
                     : sum.kind == Kind::Scaled && sum.rows == shifted.rows &&
                           areEqual(sum.terms, shifted.terms);
  return shifted.kind == Kind::Scaled && isAlong && isAdded &&
         copy(op.getResult(), shifted);
}

bool ShiftFollower::followNarrowing(arith::TruncFOp op) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool isLost;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmTowardZero, &isLost);
  const Shift &of = get(op.getIn());
  return of.kind == Kind::Scaled &&
         largest.convertToDouble() >= kLargestPower && copy(op.getResult(), of);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// Looks at a function from its beginning to its end.
class SoftmaxFinder {
public:
  SmallVector<OnlineSoftmax> run(Operation *function) {
    WalkResult walked = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        if (findIn(loop))
          return WalkResult::skip();
      bool isRelative =
          !follower.hasShifted(op->getOperands()) || follower.follow(op);
      return isRelative ? WalkResult::advance() : WalkResult::interrupt();
    });
    return walked.wasInterrupted() ? SmallVector<OnlineSoftmax>() : found;
  }

private:
  /// Follows what a loop carries, if it is a maximum and sums relative to it.
  bool findIn(scf::ForOp loop);
  bool isRelative(OnlineSoftmax &softmax);
  bool findPower(ShiftFollower &inside, OnlineSoftmax &softmax);
  void assumeSums(ShiftFollower &inside, OnlineSoftmax &softmax);
  bool followBody(ShiftFollower &inside, const OnlineSoftmax &softmax);
  bool beginsRelative(const OnlineSoftmax &softmax);

  /// What the loop's variables are at the beginning of a turn.
  SmallVector<Shift> atBegin;
  ShiftFollower follower;
  SmallVector<OnlineSoftmax> found;
};

} // namespace

static Shift makeShift(Kind kind, const OnlineSoftmax &softmax, bool isNew,
                       Shift::Factor factor, int64_t rows) {
  return {kind, {{{softmax.loop, isNew}, factor}}, rows};
}

/// The maximum that `carried` becomes in a turn; null if it becomes something
/// else.
static Value findMaximum(scf::ForOp loop, BlockArgument carried) {
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  OpOperand *yielded = loop.getTiedLoopYieldedValue(carried);
  Operation *maximum = yielded->get().getDefiningOp();
  bool isMaximum =
      type && type.getElementType().isF32() &&
      isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(maximum) &&
      maximum->getBlock() == loop.getBody() &&
      llvm::count(maximum->getOperands(), carried) == 1 &&
      llvm::count_if(type.getShape(), [](int64_t size) { return size > 1; }) <=
          1;
  return isMaximum ? yielded->get() : nullptr;
}

/// The dimension of a maximum along which there is more than one.
static int64_t findRows(Value maximum) {
  ArrayRef<int64_t> shape = cta::getTile(maximum).getShape();
  const int64_t *rows = llvm::find_if(shape, [](int64_t n) { return n > 1; });
  return rows == shape.end() ? 0 : rows - shape.begin();
}

bool SoftmaxFinder::findIn(scf::ForOp loop) {
  for (BlockArgument carried : loop.getRegionIterArgs()) {
    OnlineSoftmax softmax = {
        loop, carried, findMaximum(loop, carried), nullptr, {}};
    if (!softmax.maximum || !isRelative(softmax))
      continue;
    found.push_back(softmax);
    return true;
  }
  return false;
}

bool SoftmaxFinder::isRelative(OnlineSoftmax &softmax) {
  ShiftFollower inside;
  if (!findPower(inside, softmax))
    return false;
  assumeSums(inside, softmax);
  if (!followBody(inside, softmax) || !beginsRelative(softmax))
    return false;
  for (auto [result, yielded] : llvm::zip_equal(
           softmax.loop.getResults(), softmax.loop.getYieldedValues()))
    follower.set(result, inside.get(yielded));
  return true;
}

/// Finds what was summed up before is multiplied with, and leaves in `inside`
/// what follows from the maxima alone.
bool SoftmaxFinder::findPower(ShiftFollower &inside, OnlineSoftmax &softmax) {
  int64_t rows = findRows(softmax.maximum);
  inside.set(softmax.before,
             makeShift(Kind::Added, softmax, /*isNew=*/false, {}, rows));
  for (Operation &op : softmax.loop.getBody()->without_terminator()) {
    if (op.getNumResults() == 1 && op.getResult(0) == softmax.maximum)
      inside.set(softmax.maximum,
                 makeShift(Kind::Added, softmax, /*isNew=*/true, {}, rows));
    else if (inside.hasShifted(op.getOperands()))
      (void)inside.follow(&op);
    bool isPower = isa<math::Exp2Op, math::ExpOp>(op) && !softmax.power &&
                   inside.get(op.getResult(0)).terms.size() == 2;
    if (isPower)
      softmax.power = &op;
  }
  return softmax.power;
}

/// What is multiplied with the power is relative to the maximum, if anything
/// is: `followBody` sees whether it is.
void SoftmaxFinder::assumeSums(ShiftFollower &inside, OnlineSoftmax &softmax) {
  Terms power = inside.get(softmax.power->getResult(0)).terms;
  Shift::Factor factor = power[{softmax.loop, false}];
  factor.number = -factor.number;
  atBegin.clear();
  for (BlockArgument carried : softmax.loop.getRegionIterArgs()) {
    Shift shift = inside.get(carried);
    for (Operation *user : carried.getUsers()) {
      auto product = dyn_cast<arith::MulFOp>(user);
      if (!product)
        continue;
      const Shift &other = inside.get(
          product.getLhs() == carried ? product.getRhs() : product.getLhs());
      if (other.kind != Kind::Scaled || !areEqual(other.terms, power))
        continue;
      shift =
          makeShift(Kind::Scaled, softmax, /*isNew=*/false, factor, other.rows);
      softmax.products.push_back(product);
    }
    atBegin.push_back(shift);
  }
}

bool SoftmaxFinder::followBody(ShiftFollower &inside,
                               const OnlineSoftmax &softmax) {
  Shift maximum = inside.get(softmax.maximum);
  inside.clear();
  scf::ForOp loop = softmax.loop;
  for (auto [carried, shift] :
       llvm::zip_equal(loop.getRegionIterArgs(), atBegin))
    inside.set(carried, shift);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumResults() == 1 && op.getResult(0) == softmax.maximum) {
      inside.set(softmax.maximum, maximum);
      continue;
    }
    WalkResult walked = op.walk([&](Operation *inner) {
      bool isShifted = inside.hasShifted(inner->getOperands());
      bool isKnown = !isShifted || (inner == &op && inside.follow(inner));
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return false;
  }
  // What a turn leaves is relative to its maximum as what it began with was to
  // that of the turn before.
  for (auto [yielded, begin] :
       llvm::zip_equal(loop.getYieldedValues(), atBegin)) {
    const Shift &end = inside.get(yielded);
    Terms expected;
    for (auto [variable, factor] : begin.terms)
      expected[{variable.loop, true}] = factor;
    if (end.kind != begin.kind || end.rows != begin.rows ||
        !areEqual(end.terms, expected))
      return false;
  }
  return true;
}

/// Whether the loop begins with nothing, or with what another loop has left.
bool SoftmaxFinder::beginsRelative(const OnlineSoftmax &softmax) {
  scf::ForOp loop = softmax.loop;
  if (!follower.hasShifted(loop.getInitArgs()))
    return true;
  std::optional<Shift::Variable> from;
  for (auto [init, begin] : llvm::zip_equal(loop.getInitArgs(), atBegin)) {
    const Shift &given = follower.get(init);
    if (given.kind != begin.kind || given.rows != begin.rows ||
        given.terms.size() != begin.terms.size())
      return false;
    if (given.isSame())
      continue;
    auto [variable, factor] = *given.terms.begin();
    const Shift::Factor &wanted = begin.terms.begin()->second;
    if ((from && (*from < variable || variable < *from)) ||
        factor.scalar != wanted.scalar ||
        !isClose(factor.number, wanted.number))
      return false;
    from = variable;
  }
  return true;
}

SmallVector<OnlineSoftmax>
triton_shared::findOnlineSoftmaxes(Operation *function) {
  return SoftmaxFinder().run(function);
}
