//===- AffineOps.cpp - The form of an operation's result ------------------===//

#include "AffineTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

#include "triton-shared/Analysis/AffineIndexInterface.cpp.inc"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

static bool isIndex(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(32) || element.isInteger(64) || element.isIndex();
}

/// The number of bits that are certain to be there; `index` may have 64.
static unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

static bool hasQuotient(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr inner) {
    found |= inner.getKind() == AffineExprKind::FloorDiv ||
             inner.getKind() == AffineExprKind::Mod;
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Every value
//===----------------------------------------------------------------------===//

AffineExpr AffineTransfer::compute() {
  Operation *op = value.getDefiningOp();
  if (!op)
    return makeOpaque({value, "comes from outside the block of operations"});
  if (AffineExpr view = computeView(op))
    return view;
  if (isIndex(value.getType())) {
    AffineExpr expr = computeIndex(op);
    if (expr && overflowsForCertain(expr)) {
      fail("exceeds its bits and wraps around");
      expr = nullptr;
    }
    // A scalar quotient is best left where it is, and so is what the kernel
    // says more of than its parts tell.
    if (expr && (!shape.empty() ||
                 (!hasQuotient(expr) && !analysis.ranges->isAssumed(value))))
      return expr;
  }
  if (failure.empty())
    failure = isa<tts::AccessOpInterface>(op)
                  ? "is itself read from memory"
                  : "is computed by '" + op->getName().getStringRef().str() +
                        "', which has no affine form";
  return makeOpaque({value, failure});
}

AffineExpr AffineTransfer::makeOpaque(Unstructured why) {
  if (!isa<RankedTensorType>(value.getType()))
    return analysis.getSymbolFor(
        {IndexSymbol::Kind::Scalar, value, {}, std::move(why)});

  llvm::SmallBitVector dims(shape.size(), true);
  Operation *op = value.getDefiningOp();
  if (op && (op->hasTrait<OpTrait::Elementwise>() ||
             matchPattern(op, m_Constant()))) {
    DenseElementsAttr constant;
    bool isSplat =
        !matchPattern(op, m_Constant(&constant)) || constant.isSplat();
    if (isSplat)
      dims.reset();
    for (Value operand : op->getOperands()) {
      AffineExpr expr = analysis.getForm(operand).expr;
      dims |= analysis.getDims(expr);
      if (why.culprit == value)
        why = analysis.blame(expr, value, why.reason);
    }
    dims.resize(shape.size());
  }
  SmallVector<AffineExpr, 2> indices;
  for (auto [d, size] : llvm::enumerate(shape))
    indices.push_back(size != 1 && dims[d]
                          ? getAffineDimExpr(d, analysis.context)
                          : getAffineConstantExpr(0, analysis.context));
  return analysis.getSymbolFor(
      {IndexSymbol::Kind::Element, value, std::move(indices), std::move(why)});
}

AffineExpr AffineTransfer::getOperand(Operation *op, unsigned number) {
  return analysis.getForm(op->getOperand(number)).expr;
}

//===----------------------------------------------------------------------===//
// Operations that move elements
//===----------------------------------------------------------------------===//

AffineExpr AffineTransfer::substitute(Value source,
                                      ArrayRef<AffineExpr> place) {
  return analysis.substitute(analysis.getForm(source).expr, place, shape);
}

/// The operand `source` with its dimensions in another order.
AffineExpr AffineTransfer::computeTranspose(Value source,
                                            ArrayRef<int64_t> order) {
  SmallVector<AffineExpr> place(shape.size());
  for (auto [d, from] : llvm::enumerate(order))
    place[from] = getAffineDimExpr(d, analysis.context);
  return substitute(source, place);
}

AffineExpr AffineTransfer::computeView(Operation *op) {
  MLIRContext *context = analysis.context;
  auto dim = [&](unsigned position) {
    return getAffineDimExpr(position, context);
  };
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case<tt::SplatOp, tt::UnsplatOp, cta::SplatOp>(
          [&](auto) { return getOperand(op, 0); })
      .Case<tt::BroadcastOp, cta::BroadcastOp>([&](auto) {
        // Forms do not mention dimensions of size 1, so nothing moves.
        return getOperand(op, 0);
      })
      .Case([&](tt::ExpandDimsOp expand) {
        SmallVector<AffineExpr> place;
        for (unsigned d = 0; d < shape.size(); ++d)
          if (d != expand.getAxis())
            place.push_back(dim(d));
        return substitute(expand.getSrc(), place);
      })
      .Case([&](tt::TransOp transpose) {
        return computeTranspose(transpose.getSrc(), llvm::to_vector_of<int64_t>(
                                                        transpose.getOrder()));
      })
      .Case([&](cta::TransposeOp transpose) {
        return computeTranspose(transpose.getSource(),
                                transpose.getPermutation());
      })
      .Case([&](tt::JoinOp) { return computeJoin(op); })
      .Case<tt::ReshapeOp, cta::ReshapeOp>([&](auto) {
        Value source = op->getOperand(0);
        return substitute(
            source, getReshapedPlace(getIndexShape(source), shape, context));
      })
      .Default([](Operation *) { return AffineExpr(); });
}

/// Two tensors side by side in a new last dimension: a line, if they differ by
/// something uniform.
AffineExpr AffineTransfer::computeJoin(Operation *op) {
  AffineExpr first = getOperand(op, 0);
  AffineExpr step = subtract(getOperand(op, 1), first);
  if (!step || !analysis.isUniform(step))
    return nullptr;
  AffineExpr dim = getAffineDimExpr(shape.size() - 1, analysis.context);
  AffineExpr offset = multiply(step, dim);
  return offset ? add(first, offset) : nullptr;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

AffineExpr AffineTransfer::computeIndex(Operation *op) {
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case<arith::ConstantOp>([&](auto) { return computeConstant(op); })
      .Case([&](AffineIndexOpInterface sum) { return computeSum(sum); })
      .Case([&](tt::MakeRangeOp range) {
        int64_t start = static_cast<int32_t>(range.getStart());
        AffineExpr first = getAffineConstantExpr(start, analysis.context);
        return shape[0] == 1 ? first
                             : getAffineDimExpr(0, analysis.context) + first;
      })
      .Case([&](cta::IotaOp iota) {
        return shape[iota.getDim()] == 1
                   ? getAffineConstantExpr(0, analysis.context)
                   : getAffineDimExpr(iota.getDim(), analysis.context);
      })
      .Case<arith::AddIOp>(
          [&](auto) { return add(getOperand(op, 0), getOperand(op, 1)); })
      .Case<arith::SubIOp>(
          [&](auto) { return subtract(getOperand(op, 0), getOperand(op, 1)); })
      .Case<arith::MulIOp>([&](auto) {
        return computeProduct(getOperand(op, 0), getOperand(op, 1));
      })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(
          [&](auto) { return computeDivision(op); })
      .Case<arith::ShLIOp, arith::ShRSIOp>(
          [&](auto) { return computeShift(op); })
      .Case<arith::AndIOp, arith::OrIOp>([&](auto) { return computeBits(op); })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [&](auto) { return computeExtremum(op); })
      .Case<arith::SelectOp>([&](auto) {
        AffineExpr yes = getOperand(op, 1);
        return yes == getOperand(op, 2) ? yes : AffineExpr();
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) {
        // To fewer bits only what fits.
        Type source = op->getOperand(0).getType();
        bool fits = isIndex(source) &&
                    (getWidth(source) <= getWidth(value.getType()) ||
                     analysis.isUnsigned(analysis.getForm(op->getOperand(0))));
        return fits ? getOperand(op, 0) : AffineExpr();
      })
      .Case([&](arith::ExtUIOp extend) {
        Value source = extend.getIn();
        bool fits = isIndex(source.getType()) &&
                    (analysis.isUnsigned(analysis.getForm(source)) ||
                     isPlaceOfProgram(getOperand(op, 0)));
        return fits ? getOperand(op, 0) : AffineExpr();
      })
      .Case<arith::TruncIOp>([&](auto) {
        Value source = op->getOperand(0);
        bool fits = isIndex(source.getType()) &&
                    analysis.isUnsigned(analysis.getForm(source));
        return fits ? getOperand(op, 0) : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

AffineExpr AffineTransfer::computeConstant(Operation *op) {
  APInt number;
  if (matchPattern(op, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), analysis.context);
  fail("is a constant whose elements differ");
  return nullptr;
}

/// An operation of another project, which says itself what it computes.
AffineExpr AffineTransfer::computeSum(AffineIndexOpInterface op) {
  AffineExpr sum =
      getAffineConstantExpr(op.getIndexConstant(), analysis.context);
  for (auto [number, factor] : llvm::enumerate(op.getIndexFactors())) {
    AffineExpr term = multiply(getOperand(op, number),
                               getAffineConstantExpr(factor, analysis.context));
    sum = term ? add(sum, term) : nullptr;
    if (!sum)
      return nullptr;
  }
  return sum;
}

AffineExpr AffineTransfer::computeProduct(AffineExpr lhs, AffineExpr rhs) {
  if (analysis.isUniform(lhs) || analysis.isUniform(rhs))
    return multiply(lhs, rhs);
  fail("multiplies two values that vary over the block");
  return nullptr;
}

AffineExpr AffineTransfer::divide(AffineExpr expr, AffineExpr divisor,
                                  bool wantsQuotient) {
  auto ranges = [&](AffineExpr leaf) { return getRange(leaf); };
  return wantsQuotient ? floorDivide(expr, divisor, ranges)
                       : remainder(expr, divisor, ranges);
}

/// C's division is the Euclidean one where the dividend is not negative.
AffineExpr AffineTransfer::computeDivision(Operation *op) {
  AffineExpr dividend = getOperand(op, 0), divisor = getOperand(op, 1);
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  if (!analysis.isUniform(divisor)) {
    fail("divides by a value that varies over the block");
    return nullptr;
  }
  bool isDividendFit = isSigned ? getRange(dividend).isNonNegative()
                                : analysis.isUnsigned({dividend, shape});
  if (!isDividendFit) {
    fail("divides a value that may be negative");
    return nullptr;
  }
  IndexRange divisors = getRange(divisor);
  bool wantsQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  bool isSignMissed = wantsQuotient && analysis.sign == DivisorSign::Unknown;
  if (divisors.high <= 0 || (!isSigned && divisors.low < 0) ||
      (isSignMissed && divisors.low <= 0)) {
    fail("divides by a value that may be negative");
    return nullptr;
  }
  return divide(dividend, divisor, wantsQuotient);
}

/// Shifts by a constant are products and quotients by a power of two.
AffineExpr AffineTransfer::computeShift(Operation *op) {
  auto amount = dyn_cast<AffineConstantExpr>(getOperand(op, 1));
  int64_t width = getWidth(value.getType());
  if (!amount || amount.getValue() < 0 || amount.getValue() >= width - 1)
    return nullptr;
  AffineExpr source = getOperand(op, 0);
  AffineExpr power =
      getAffineConstantExpr(int64_t(1) << amount.getValue(), analysis.context);
  return isa<arith::ShLIOp>(op) ? multiply(source, power)
                                : divide(source, power, /*wantsQuotient=*/true);
}

/// `x & (2^k - 1)` is a remainder, and `x | y` a sum if `x` is a multiple of a
/// power of two that exceeds `y`.
AffineExpr AffineTransfer::computeBits(Operation *op) {
  AffineExpr lhs = getOperand(op, 0), rhs = getOperand(op, 1);
  if (isa<arith::AndIOp>(op)) {
    auto mask = dyn_cast<AffineConstantExpr>(rhs);
    if (!mask || mask.getValue() <= 0 ||
        !llvm::isPowerOf2_64(mask.getValue() + 1))
      return nullptr;
    return divide(lhs, mask + 1, /*wantsQuotient=*/false);
  }
  for (auto [high, low] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    IndexRange bits = getRange(low);
    if (bits.isWithin(0, int64_t(1) << 31) &&
        high.isMultipleOf(llvm::PowerOf2Ceil(bits.high + 1)))
      return add(lhs, rhs);
  }
  return nullptr;
}

/// True for what counts blocks of elements and never exceeds 32 bits without a
/// sign, `64 * pid + i`: not negative, and with no factor that only a hash has,
/// for which the wrap-around is meant.
bool AffineTransfer::isPlaceOfProgram(AffineExpr expr) {
  constexpr int64_t largestBlock = int64_t(1) << 16;
  return getRange(expr).isNonNegative() &&
         llvm::all_of(getTerms(expr), [](const AffineTerm &term) {
           return term.coefficient <= largestBlock;
         });
}

/// The smaller or larger of two values of which one is never the other side.
AffineExpr AffineTransfer::computeExtremum(Operation *op) {
  AffineExpr lhs = getOperand(op, 0), rhs = getOperand(op, 1);
  AffineExpr difference = subtract(lhs, rhs);
  if (!difference)
    return nullptr;
  IndexRange range = getRange(difference);
  bool wantsSmaller = isa<arith::MinSIOp>(op);
  if (range.high <= 0)
    return wantsSmaller ? lhs : rhs;
  if (range.low >= 0)
    return wantsSmaller ? rhs : lhs;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What the bits say
//===----------------------------------------------------------------------===//

/// True if the part of an index that is known at compile time does not fit by
/// itself: then the program means the wrap-around (a hash).
bool AffineTransfer::overflowsForCertain(AffineExpr expr) {
  IndexRange range =
      triton_shared::getRange(expr, [&](AffineExpr leaf) -> IndexRange {
        if (auto dim = dyn_cast<AffineDimExpr>(leaf))
          return {0, shape[dim.getPosition()] - 1};
        return IndexRange::constant(0);
      });
  if (getWidth(value.getType()) != 32)
    return range.low == IndexRange::lowest || range.high == IndexRange::highest;
  return !range.isWithin(std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max());
}
