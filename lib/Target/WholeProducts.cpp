//===- WholeProducts.cpp - Both halves of a product at once ---------------===//

#include "WholeProducts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Half of a product, and how many instructions of its block stand before it:
/// those that are added meanwhile would have LLVM count them anew each time.
struct Half {
  Instruction *instruction = nullptr;
  unsigned place = 0;
};

/// The halves of one product, in a block.
struct Product {
  Half lower, upper;
};

/// The factors, of 32 bits each.
using Factors = std::pair<Value *, Value *>;
using Products = MapVector<Factors, Product>;

} // namespace

/// `value` of 64 bits as what it is of 32; null if it may be more than that.
static Value *narrow(Value *value) {
  Type *narrowType =
      value->getType()->getWithNewType(Type::getInt32Ty(value->getContext()));
  Value *source;
  if (match(value, m_ZExt(m_Value(source))))
    return source->getType() == narrowType ? source : nullptr;
  const APInt *number;
  if (match(value, m_APInt(number)) && number->isIntN(32))
    return ConstantInt::get(narrowType, number->trunc(32));
  return nullptr;
}

static void note(Instruction &instruction, unsigned place, Products &products) {
  Value *first, *second;
  if (!instruction.getType()->isIntOrIntVectorTy(32))
    return;
  if (match(&instruction, m_Mul(m_Value(first), m_Value(second)))) {
    products[{first, second}].lower = {&instruction, place};
    return;
  }
  if (!match(&instruction,
             m_Trunc(m_LShr(m_Mul(m_Value(first), m_Value(second)),
                            m_SpecificInt(32)))) ||
      !first->getType()->isIntOrIntVectorTy(64))
    return;
  first = narrow(first);
  second = narrow(second);
  if (first && second)
    products[{first, second}].upper = {&instruction, place};
}

/// The halves of one product: a pair, the lower one first.
static Value *multiply(IRBuilder<> &builder, Value *first, Value *second) {
  Type *word = builder.getInt32Ty();
  auto *type =
      FunctionType::get(StructType::get(word, word), {word, word}, false);
  InlineAsm *code = InlineAsm::get(type,
                                   "{\n.reg .b64 whole;\n"
                                   "mul.wide.u32 whole, $2, $3;\n"
                                   "mov.b64 {$0, $1}, whole;\n}",
                                   "=r,=r,r,r", /*hasSideEffects=*/false);
  return builder.CreateCall(code, {first, second});
}

static void replace(Product product) {
  Instruction *lower = product.lower.instruction;
  Instruction *upper = product.upper.instruction;
  // Those that were noted may be halves that have been replaced since.
  Factors factors{lower->getOperand(0), lower->getOperand(1)};
  Instruction *first =
      product.lower.place < product.upper.place ? lower : upper;
  IRBuilder<> builder(first);
  Value *halves[2];
  if (auto *type = dyn_cast<FixedVectorType>(first->getType())) {
    std::fill(std::begin(halves), std::end(halves), PoisonValue::get(type));
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      Value *both =
          multiply(builder, builder.CreateExtractElement(factors.first, lane),
                   builder.CreateExtractElement(factors.second, lane));
      for (unsigned half = 0; half < 2; ++half)
        halves[half] = builder.CreateInsertElement(
            halves[half], builder.CreateExtractValue(both, half), lane);
    }
  } else {
    Value *both = multiply(builder, factors.first, factors.second);
    for (unsigned half = 0; half < 2; ++half)
      halves[half] = builder.CreateExtractValue(both, half);
  }
  lower->replaceAllUsesWith(halves[0]);
  upper->replaceAllUsesWith(halves[1]);
  RecursivelyDeleteTriviallyDeadInstructions(lower);
  RecursivelyDeleteTriviallyDeadInstructions(upper);
}

void mlir::triton_shared::multiplyOnce(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      Products products;
      for (auto [place, instruction] : enumerate(block))
        note(instruction, place, products);
      for (auto &[factors, product] : products)
        if (product.lower.instruction && product.upper.instruction)
          replace(product);
    }
}
