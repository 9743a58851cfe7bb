//===- StoredFloats.cpp - What depends on how floats are stored -----------===//

#include "StoredFloats.h"

#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tt = mlir::triton;

Type triton_shared::getNumberType(Type type) {
  while (true) {
    if (auto pointer = dyn_cast<tt::PointerType>(type))
      type = pointer.getPointeeType();
    else if (auto described = dyn_cast<tt::TensorDescType>(type))
      type = described.getSignlessBlockType().getElementType();
    else if (auto shaped = dyn_cast<ShapedType>(type))
      type = shaped.getElementType();
    else
      return type;
  }
}

bool triton_shared::hasNumbers(Operation *op,
                               llvm::function_ref<bool(Type)> isOne) {
  auto leadsToOne = [&](Type type) { return isOne(getNumberType(type)); };
  return llvm::any_of(op->getOperandTypes(), leadsToOne) ||
         llvm::any_of(op->getResultTypes(), leadsToOne);
}

StringRef triton_shared::findNeedOfStorage(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<tt::IntToPtrOp, tt::PtrToIntOp>([](Operation *) {
        return "takes the address of a float for a number";
      })
      .Case<tt::ElementwiseInlineAsmOp>(
          [](Operation *) { return "holds assembly for floats of one type"; })
      .Case<tt::DotScaledOp>(
          [](Operation *) { return "multiplies floats of one format"; })
      .Default([](Operation *) { return ""; });
}
