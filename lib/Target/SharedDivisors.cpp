//===- SharedDivisors.cpp - Quotients by the same number ------------------===//

#include "SharedDivisors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

using Quotients = SmallVector<IntrinsicInst *, 4>;

/// What `div.full.f32` computes of its divisor.
struct Reciprocal {
  /// What dividend and divisor are multiplied with: the reciprocal is a normal
  /// number then.
  Value *scale;
  /// Of the scaled divisor.
  Value *value;
};

} // namespace

/// A product that nothing is added to in the same instruction.
static Value *multiply(IRBuilder<> &builder, Value *a, Value *b) {
  return builder.CreateIntrinsic(Intrinsic::nvvm_mul_rn_f, {a, b});
}

static Reciprocal invert(IRBuilder<> &builder, Value *divisor) {
  constexpr float kLarge = 0x1p126f, kLess = 0x1p-2f;
  constexpr float kSmall = 0x1p-126f, kMore = 0x1p24f;
  auto number = [&](float value) {
    return ConstantFP::get(divisor->getType(), value);
  };
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, divisor);
  Value *scale = builder.CreateSelect(
      builder.CreateFCmpOLT(size, number(kSmall)), number(kMore), number(1.0f));
  scale = builder.CreateSelect(builder.CreateFCmpOGT(size, number(kLarge)),
                               number(kLess), scale);
  Value *value = builder.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f,
                                         {multiply(builder, divisor, scale)});
  return {scale, value};
}

/// Replaces `quotients`, of one block and in its order.
static void divideOnce(ArrayRef<IntrinsicInst *> quotients) {
  IRBuilder<> builder(quotients.front());
  Reciprocal reciprocal = invert(builder, quotients.front()->getArgOperand(1));
  for (IntrinsicInst *quotient : quotients) {
    builder.SetInsertPoint(quotient);
    Value *dividend =
        multiply(builder, quotient->getArgOperand(0), reciprocal.scale);
    quotient->replaceAllUsesWith(multiply(builder, dividend, reciprocal.value));
    quotient->eraseFromParent();
  }
}

static void divideOnce(BasicBlock &block) {
  MapVector<Value *, Quotients> ofDivisor;
  for (Instruction &instruction : block)
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && call->getIntrinsicID() == Intrinsic::nvvm_div_full &&
        !isa<Constant>(call->getArgOperand(1)))
      ofDivisor[call->getArgOperand(1)].push_back(call);
  for (auto &[divisor, quotients] : ofDivisor)
    if (quotients.size() > 1)
      divideOnce(quotients);
}

void mlir::triton_shared::divideOnce(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      ::divideOnce(block);
}
