//===- ShortFactors.cpp - Products of numbers of 32 bits ------------------===//

#include "ShortFactors.h"

#include "MatrixKernels.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A number of 64 bits: a signed one of 32 bits times a constant.
struct Factor {
  Value *value;
  APInt scale;
};

} // namespace

static bool isShort(const Value *value, const DataLayout &layout) {
  constexpr unsigned kSignBits = 33;
  return ComputeNumSignBits(value, layout) >= kSignBits;
}

/// What `value` is made of; nothing if that has more bits, or is constant.
static std::optional<Factor> takeApart(Value *value, const DataLayout &layout) {
  if (isa<Constant>(value))
    return std::nullopt;
  APInt one(value->getType()->getIntegerBitWidth(), 1);
  if (isShort(value, layout))
    return Factor{value, one};
  Value *rest;
  const APInt *number;
  if (match(value, m_Mul(m_Value(rest), m_APInt(number))) &&
      isShort(rest, layout))
    return Factor{rest, *number};
  if (match(value, m_Shl(m_Value(rest), m_APInt(number))) &&
      number->ult(one.getBitWidth()) && isShort(rest, layout))
    return Factor{rest, one.shl(*number)};
  return std::nullopt;
}

/// The 32 bits of `value` that tell.
static Value *narrow(IRBuilder<> &builder, Value *value) {
  Value *source;
  if (match(value, m_ZExtOrSExt(m_Value(source))) &&
      source->getType()->isIntegerTy(32))
    return source;
  return builder.CreateTrunc(value, builder.getInt32Ty());
}

static Value *multiply(IRBuilder<> &builder, Value *a, Value *b) {
  Type *word = builder.getInt32Ty();
  auto *type = FunctionType::get(builder.getInt64Ty(), {word, word}, false);
  InlineAsm *code = InlineAsm::get(type, "mul.wide.s32 $0, $1, $2;", "=l,r,r",
                                   /*hasSideEffects=*/false);
  return builder.CreateCall(type, code,
                            {narrow(builder, a), narrow(builder, b)});
}

static bool multiplyShort(BinaryOperator &product, const DataLayout &layout) {
  if (product.getOpcode() != Instruction::Mul ||
      !product.getType()->isIntegerTy(64))
    return false;
  std::optional<Factor> a = takeApart(product.getOperand(0), layout);
  std::optional<Factor> b = takeApart(product.getOperand(1), layout);
  if (!a || !b)
    return false;
  IRBuilder<> builder(&product);
  Value *whole = multiply(builder, a->value, b->value);
  APInt scale = a->scale * b->scale;
  if (!scale.isOne())
    whole = builder.CreateMul(whole, builder.getInt(scale));
  product.replaceAllUsesWith(whole);
  return true;
}

void mlir::triton_shared::multiplyShort(Module &module) {
  SmallVector<Instruction *> replaced;
  for (Function &function : module) {
    if (multipliesMatrices(function))
      continue;
    for (Instruction &instruction : instructions(function))
      if (auto *product = dyn_cast<BinaryOperator>(&instruction))
        if (::multiplyShort(*product, module.getDataLayout()))
          replaced.push_back(product);
  }
  for (Instruction *product : replaced)
    RecursivelyDeleteTriviallyDeadInstructions(product);
}
