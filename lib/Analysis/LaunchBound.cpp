//===- LaunchBound.cpp - How far programs of a launch come ----------------===//

#include "triton-shared/Analysis/LaunchBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The most that a number can be, which itself is not negative.
struct Bound {
  /// Null if no launch knows it.
  AffineExpr most = nullptr;
  /// Whether the number is always that.
  bool isExact = false;
  bool mayBeNegative = false;

  explicit operator bool() const { return static_cast<bool>(most); }

  static Bound sum(Bound lhs, Bound rhs) {
    if (!lhs || !rhs)
      return {};
    return {lhs.most + rhs.most, lhs.isExact && rhs.isExact,
            lhs.mayBeNegative || rhs.mayBeNegative};
  }
  static Bound product(Bound lhs, Bound rhs) {
    if (!lhs || !rhs || (lhs.mayBeNegative && rhs.mayBeNegative))
      return {};
    return {lhs.most * rhs.most, lhs.isExact && rhs.isExact,
            lhs.mayBeNegative || rhs.mayBeNegative};
  }
};

/// Finds bounds that hold if those that were left out on the way hold as well.
class BoundFinder {
public:
  BoundFinder(FunctionOpInterface function,
              const DenseMap<AffineExpr, Value> &values,
              llvm::SetVector<AffineExpr> &leftOut)
      : function(function), context(function.getContext()), values(values),
        leftOut(leftOut) {}

  Bound find(const LinearForm &start, scf::ForOp loop) {
    Bound slope = find(start.slope);
    if (slope.most == getAffineConstantExpr(0, context))
      return find(start.base);
    return Bound::sum(find(start.base), Bound::product(slope, findTurn(loop)));
  }

private:
  Bound find(AffineExpr expr) {
    Bound sum = getConstant(0);
    for (const AffineTerm &term : getTerms(expr)) {
      Bound product = getConstant(std::abs(term.coefficient));
      for (AffineExpr factor : term.factors)
        product = Bound::product(product, findFactor(factor));
      sum = Bound::sum(sum, term.coefficient < 0 ? negate(product) : product);
    }
    return sum;
  }

  Bound findFactor(AffineExpr factor) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(factor);
    if (!binary)
      return values.contains(factor) ? find(values.lookup(factor)) : Bound{};
    Bound lhs = find(binary.getLHS()), rhs = find(binary.getRHS());
    switch (factor.getKind()) {
    case AffineExprKind::FloorDiv:
      return divide(lhs, rhs);
    case AffineExprKind::Mod:
      return takeRemainder(lhs, rhs);
    default:
      return {};
    }
  }

  Bound find(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return find(argument);
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isSignedIntN(63) ? getConstant(constant.getSExtValue())
                                       : Bound{};
    Operation *made = value.getDefiningOp();
    auto of = [&](unsigned i) { return find(made->getOperand(i)); };
    return llvm::TypeSwitch<Operation *, Bound>(made)
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(
            [&](auto) { return of(0); })
        .Case<arith::AddIOp>([&](auto) { return Bound::sum(of(0), of(1)); })
        .Case<arith::SubIOp>(
            [&](auto) { return Bound::sum(of(0), negate(of(1))); })
        .Case<arith::MulIOp>([&](auto) { return Bound::product(of(0), of(1)); })
        .Case<arith::DivSIOp>([&](auto) { return divide(of(0), of(1)); })
        .Case<arith::RemSIOp>([&](auto) { return takeRemainder(of(0), of(1)); })
        .Case<arith::DivUIOp>(
            [&](auto) { return divide(asUnsigned(of(0)), asUnsigned(of(1))); })
        .Case<arith::MinSIOp>([&](auto) { return takeLess(of(0), of(1)); })
        .Case<arith::MaxSIOp>([&](auto) { return takeMore(of(0), of(1)); })
        .Case<arith::SelectOp>([&](auto) { return takeEither(of(1), of(2)); })
        // What is cut off of a number below 2^30 are zeros.
        .Case<arith::TruncIOp>([&](auto) { return ask(asUnsigned(of(0))); })
        .Default([](Operation *) { return Bound{}; });
  }

  Bound find(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner))
      return argument == loop.getInductionVar() ? findTurn(loop) : Bound{};
    return owner == function ? findParameter(argument) : Bound{};
  }

  Bound findParameter(BlockArgument argument) {
    tts::KernelSignature signature(function);
    unsigned written = signature.getNumWritten();
    std::optional<tts::ParameterKind> kind = signature.findKind(argument);
    if (!kind)
      return {getAffineSymbolExpr(argument.getArgNumber(), context), true};
    for (unsigned axis = 0; axis < std::size(tts::kGridSizes); ++axis) {
      AffineExpr size = getAffineSymbolExpr(written + axis, context);
      if (kind == tts::kGridSizes[axis])
        return {size, true};
      if (kind == tts::kProgramIds[axis])
        return {size - 1};
    }
    return {};
  }

  /// Of the induction variable: where the loop ends may be before it begins.
  Bound findTurn(scf::ForOp loop) {
    Bound first = find(loop.getLowerBound()), end = find(loop.getUpperBound());
    if (!first || !end || first.mayBeNegative)
      return {};
    ask(first);
    return {end.most - 1};
  }

  Bound getConstant(int64_t value) {
    AffineExpr most =
        getAffineConstantExpr(std::max<int64_t>(value, 0), context);
    return {most, value >= 0, value < 0};
  }

  /// Has it asked of the launch as well, for what only its symbols say of it.
  Bound ask(Bound bound) {
    if (bound && !isa<AffineConstantExpr>(bound.most))
      leftOut.insert(bound.most);
    return bound;
  }

  Bound negate(Bound bound) {
    if (!bound || bound.mayBeNegative)
      return {};
    ask(bound);
    return {getAffineConstantExpr(0, context), false, true};
  }

  /// The same where bits are no sign.
  static Bound asUnsigned(Bound bound) {
    return bound.mayBeNegative ? Bound{} : bound;
  }

  Bound takeLess(Bound lhs, Bound rhs) {
    if (!lhs || !rhs)
      return {};
    bool isRight = isa<AffineConstantExpr>(rhs.most);
    ask(isRight ? lhs : rhs);
    return {isRight ? rhs.most : lhs.most, false,
            lhs.mayBeNegative || rhs.mayBeNegative};
  }

  Bound takeMore(Bound lhs, Bound rhs) {
    Bound sum = Bound::sum(lhs, rhs);
    return {sum.most, false, lhs.mayBeNegative && rhs.mayBeNegative};
  }

  Bound takeEither(Bound lhs, Bound rhs) {
    Bound sum = Bound::sum(lhs, rhs);
    return {sum.most, false, sum.mayBeNegative};
  }

  /// A divisor is a size: dividing makes nothing larger.
  Bound divide(Bound dividend, Bound divisor) {
    if (!dividend || !divisor)
      return {};
    if (!divisor.isExact) {
      ask(divisor);
      return {dividend.most, false, dividend.mayBeNegative};
    }
    return {dividend.most.floorDiv(divisor.most), dividend.isExact,
            dividend.mayBeNegative};
  }

  Bound takeRemainder(Bound dividend, Bound divisor) {
    if (!dividend || !divisor)
      return {};
    ask(divisor.isExact ? dividend : divisor);
    return {divisor.isExact ? divisor.most - 1 : dividend.most, false,
            dividend.mayBeNegative};
  }

  FunctionOpInterface function;
  MLIRContext *context;
  const DenseMap<AffineExpr, Value> &values;
  llvm::SetVector<AffineExpr> &leftOut;
};

} // namespace

bool LaunchBounds::add(const LinearForm &start, scf::ForOp loop,
                       const DenseMap<AffineExpr, Value> &values) {
  Bound bound = BoundFinder(function, values, bounds).find(start, loop);
  if (!bound || bound.mayBeNegative)
    return false;
  bounds.insert(bound.most);
  return true;
}

AffineMap LaunchBounds::getMap() {
  unsigned written = tts::KernelSignature(function).getNumWritten();
  return AffineMap::get(0, written + std::size(tts::kGridSizes),
                        bounds.getArrayRef(), function.getContext());
}
