//===- BoundedFloats.cpp - Comparisons that can have one result -----------===//
//
// A bound is a power of two, and so one of what is rounded as well: rounding
// never passes a number that the type has.
//
//===----------------------------------------------------------------------===//

#include "BoundedFloats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// No lane of a value is larger, in size, than two to the power of this; none
/// is NaN. Nothing if that is not known.
using Exponent = std::optional<int>;

/// Follows operands back to integers and constants.
class BoundFinder {
public:
  explicit BoundFinder(const DataLayout &layout) : layout(layout) {}

  Exponent find(Value *value, unsigned depth = 0) const {
    if (auto *constant = dyn_cast<Constant>(value))
      return findOfConstant(constant);
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth == kDeepest)
      return std::nullopt;
    return fit(findOfResult(*instruction, depth + 1), value->getType());
  }

private:
  static constexpr unsigned kDeepest = 12;

  /// `exponent` if the type has numbers of that size, as one that small ones
  /// are not rounded beyond.
  static Exponent fit(Exponent exponent, Type *type) {
    Type *scalar = type->getScalarType();
    if (!exponent || !scalar->isIEEELikeFPTy())
      return std::nullopt;
    const fltSemantics &semantics = scalar->getFltSemantics();
    if (*exponent > APFloat::semanticsMaxExponent(semantics))
      return std::nullopt;
    int least = APFloat::semanticsMinExponent(semantics) -
                int(APFloat::semanticsPrecision(semantics)) + 1;
    return std::max(*exponent, least);
  }

  static Exponent findOfNumber(const APFloat &number) {
    if (!number.isFinite())
      return std::nullopt;
    // Of zero, one below those of all numbers.
    int exponent = ilogb(number);
    bool isPower = number.isZero() || number.getExactLog2Abs() == exponent;
    return isPower ? exponent : exponent + 1;
  }

  static Exponent findOfConstant(Constant *constant) {
    const APFloat *number;
    if (match(constant, m_APFloat(number)))
      return fit(findOfNumber(*number), constant->getType());
    auto *type = dyn_cast<FixedVectorType>(constant->getType());
    if (!type)
      return std::nullopt;
    Exponent most = INT_MIN;
    for (unsigned lane = 0; lane < type->getNumElements() && most; ++lane) {
      Constant *element = constant->getAggregateElement(lane);
      bool isNumber = element && match(element, m_APFloat(number));
      most = larger(most, isNumber ? findOfNumber(*number) : std::nullopt);
    }
    return fit(most, type);
  }

  static Exponent larger(Exponent a, Exponent b) {
    return a && b ? Exponent(std::max(*a, *b)) : std::nullopt;
  }
  static Exponent times(Exponent a, Exponent b) {
    return a && b ? Exponent(*a + *b) : std::nullopt;
  }
  static Exponent plus(Exponent a, Exponent b) {
    Exponent most = larger(a, b);
    return most ? Exponent(*most + 1) : std::nullopt;
  }

  Exponent findOfInteger(Instruction &conversion) const {
    KnownBits bits = computeKnownBits(conversion.getOperand(0), layout);
    if (isa<UIToFPInst>(conversion))
      return bits.getMaxValue().getActiveBits();
    // The smallest is a power of two, the largest one less.
    APInt least = bits.getSignedMinValue(), most = bits.getSignedMaxValue();
    return std::max(least.isNegative() ? (~least).getActiveBits() : 0,
                    most.isNegative() ? 0 : most.getActiveBits());
  }

  Exponent findOfResult(Instruction &op, unsigned depth) const {
    auto operand = [&](unsigned i) { return find(op.getOperand(i), depth); };
    switch (op.getOpcode()) {
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return findOfInteger(op);
    case Instruction::FMul:
      return times(operand(0), operand(1));
    case Instruction::FAdd:
    case Instruction::FSub:
      return plus(operand(0), operand(1));
    case Instruction::FNeg:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
      return operand(0);
    case Instruction::Select:
      return larger(operand(1), operand(2));
    case Instruction::ExtractElement:
      return findOfElement(cast<ExtractElementInst>(op), depth);
    case Instruction::Call:
      return findOfCall(cast<CallInst>(op), depth);
    default:
      return std::nullopt;
    }
  }

  Exponent findOfElement(ExtractElementInst &op, unsigned depth) const {
    auto *lane = dyn_cast<ConstantInt>(op.getIndexOperand());
    Value *element =
        lane ? findScalarElement(op.getVectorOperand(), lane->getZExtValue())
             : nullptr;
    return element && element != &op ? find(element, depth)
                                     : find(op.getVectorOperand(), depth);
  }

  Exponent findOfCall(CallInst &op, unsigned depth) const {
    auto operand = [&](unsigned i) { return find(op.getArgOperand(i), depth); };
    switch (op.getIntrinsicID()) {
    case Intrinsic::fabs:
    case Intrinsic::nvvm_fabs:
      return operand(0);
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
      return larger(operand(0), operand(1));
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
      return plus(times(operand(0), operand(1)), operand(2));
    default:
      return std::nullopt;
    }
  }

  const DataLayout &layout;
};

} // namespace

/// What `comparison` gives for all numbers that can be there, if it does.
static std::optional<bool> decide(const BoundFinder &bounds,
                                  FCmpInst &comparison) {
  const APFloat *constant;
  if (!match(comparison.getOperand(1), m_APFloat(constant)) ||
      constant->isNaN() || constant->isZero())
    return std::nullopt;
  Exponent most = bounds.find(comparison.getOperand(0));
  if (!most || (constant->isFinite() && ilogb(*constant) <= *most))
    return std::nullopt;
  // They lie on the same side of it as zero.
  return FCmpInst::compare(APFloat::getZero(constant->getSemantics()),
                           *constant, comparison.getPredicate());
}

PreservedAnalyses
mlir::triton_shared::DecideBoundedComparisons::run(Function &function,
                                                   FunctionAnalysisManager &) {
  BoundFinder bounds(function.getDataLayout());
  bool isChanged = false;
  for (Instruction &instruction : instructions(function)) {
    auto *comparison = dyn_cast<FCmpInst>(&instruction);
    if (!comparison || comparison->use_empty())
      continue;
    std::optional<bool> result = decide(bounds, *comparison);
    if (!result)
      continue;
    comparison->replaceAllUsesWith(
        ConstantInt::getBool(comparison->getType(), *result));
    isChanged = true;
  }
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
