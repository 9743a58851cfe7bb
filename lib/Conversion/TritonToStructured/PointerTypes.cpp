//===- PointerTypes.cpp - What pointers point to in memory ----------------===//

#include "PointerTypes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

bool triton_shared::isPointerLike(Type type) {
  return isScalarPointer(getElementTypeOrSelf(type));
}

bool triton_shared::isScalarPointer(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  return pointer && !isa<RankedTensorType>(pointer.getPointeeType());
}

Type triton_shared::getOffsetType(Type pointer) {
  Type i64 = IntegerType::get(pointer.getContext(), 64);
  if (auto block = dyn_cast<RankedTensorType>(pointer))
    return block.clone(i64);
  return i64;
}

Type triton_shared::getMemoryElementType(Type pointer) {
  Type pointee =
      cast<tt::PointerType>(getElementTypeOrSelf(pointer)).getPointeeType();
  if (pointee.isInteger(1))
    return IntegerType::get(pointer.getContext(), 8);
  if (isa<tt::PointerType>(pointee))
    return IntegerType::get(pointer.getContext(), 64);
  return pointee;
}

tt::PointerType triton_shared::getBaseType(Type pointer) {
  auto scalar = cast<tt::PointerType>(getElementTypeOrSelf(pointer));
  return tt::PointerType::get(getMemoryElementType(pointer),
                              scalar.getAddressSpace());
}

int64_t triton_shared::getElementBytes(Type pointer) {
  return llvm::divideCeil(getMemoryElementType(pointer).getIntOrFloatBitWidth(),
                          8);
}
