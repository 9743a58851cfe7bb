//===- WholeProducts.cpp - Both halves of a product at once ---------------===//

#include "WholeProducts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The halves of one product, in a block.
struct Product {
  Instruction *lower = nullptr;
  Instruction *upper = nullptr;
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

static void note(Instruction &instruction, Products &products) {
  Value *first, *second;
  if (!instruction.getType()->isIntOrIntVectorTy(32))
    return;
  if (match(&instruction, m_Mul(m_Value(first), m_Value(second)))) {
    products[{first, second}].lower = &instruction;
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
    products[{first, second}].upper = &instruction;
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
  // Those that were noted may be halves that have been replaced since.
  Factors factors{product.lower->getOperand(0), product.lower->getOperand(1)};
  Instruction *first =
      product.lower->comesBefore(product.upper) ? product.lower : product.upper;
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
  product.lower->replaceAllUsesWith(halves[0]);
  product.upper->replaceAllUsesWith(halves[1]);
  RecursivelyDeleteTriviallyDeadInstructions(product.lower);
  RecursivelyDeleteTriviallyDeadInstructions(product.upper);
}

void mlir::triton_shared::multiplyOnce(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      Products products;
      for (Instruction &instruction : block)
        note(instruction, products);
      for (auto &[factors, product] : products)
        if (product.lower && product.upper)
          replace(product);
    }
}
