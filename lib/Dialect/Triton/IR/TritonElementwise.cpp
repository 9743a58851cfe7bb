//===- TritonElementwise.cpp - Arithmetic on elements ---------------------===//
//
// Verifiers, folders and effects of the operations that compute each element
// from the elements at the same place.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LogicalResult tt::BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  if (isa<PointerType>(from) && isa<PointerType>(to))
    return success();
  if (isa<PointerType>(from) || isa<PointerType>(to))
    return emitOpError() << "can not turn " << from << " into " << to
                         << "; use tt.ptr_to_int or tt.int_to_ptr";
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "can not turn " << from.getIntOrFloatBitWidth()
                         << " bits into " << to.getIntOrFloatBitWidth();
  return success();
}

OpFoldResult tt::BitcastOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

LogicalResult tt::FpToFpOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  if (to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth() &&
      !getRounding())
    return emitOpError() << "narrows " << from << " to " << to
                         << " and does not say how to round";
  return success();
}

//===----------------------------------------------------------------------===//
// Code from outside
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// Code that is not pure may do anything to memory.
static void addForeignEffects(bool isPure, Effects &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get(), tt::GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), tt::GlobalMemory::get());
}

static Speculation::Speculatability getForeignSpeculatability(bool isPure) {
  return isPure ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void tt::ExternElementwiseOp::getEffects(Effects &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability tt::ExternElementwiseOp::getSpeculatability() {
  return getForeignSpeculatability(getPure());
}

void tt::ElementwiseInlineAsmOp::getEffects(Effects &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability tt::ElementwiseInlineAsmOp::getSpeculatability() {
  return getForeignSpeculatability(getPure());
}

LogicalResult tt::ExternElementwiseOp::verify() {
  if (getSymbol().empty())
    return emitOpError("calls a function without a name");
  return success();
}

LogicalResult tt::ElementwiseInlineAsmOp::verify() {
  int32_t pack = getPackedElement();
  if (pack < 1)
    return emitOpError() << "runs on packs of " << pack << " elements";
  for (Value result : getResult()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (type && type.hasStaticShape() && type.getNumElements() % pack)
      return emitOpError() << "runs on packs of " << pack << " elements, and "
                           << type << " is no whole number of them";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// tt.map_elementwise
//===----------------------------------------------------------------------===//

LogicalResult tt::MapElementwiseOp::verify() {
  int32_t pack = getPack();
  auto type = cast<RankedTensorType>(getSrcs().front().getType());
  if (pack < 1 || type.getNumElements() % pack)
    return emitOpError() << "runs on packs of " << pack << " elements, and "
                         << type << " is no whole number of them";
  return success();
}

/// The element type of each value, `pack` times in a row.
static SmallVector<Type> getPackedTypes(TypeRange types, int32_t pack) {
  SmallVector<Type> packed;
  for (Type type : types)
    packed.append(pack, getElementTypeOrSelf(type));
  return packed;
}

LogicalResult tt::MapElementwiseOp::verifyRegions() {
  if (getScalarOp().empty())
    return emitOpError("has no region");
  SmallVector<Type> expected = getPackedTypes(getSrcs().getTypes(), getPack());
  if (ArrayRef<Type>(expected) !=
      ArrayRef<Type>(llvm::to_vector(getScalarOp().getArgumentTypes())))
    return emitOpError() << "has a region that takes ("
                         << getScalarOp().getArgumentTypes()
                         << "), but the elements are (" << expected << ")";
  return success();
}

LogicalResult tt::MapElementwiseReturnOp::verify() {
  auto parent = cast<MapElementwiseOp>((*this)->getParentOp());
  SmallVector<Type> expected =
      getPackedTypes(parent.getResultTypes(), parent.getPack());
  if (ArrayRef<Type>(expected) ==
      ArrayRef<Type>(llvm::to_vector(getOperandTypes())))
    return success();
  return emitOpError() << "returns (" << getOperandTypes()
                       << "), but the elements of the results are (" << expected
                       << ")";
}
