//===- SharedMemory.cpp - Tiles in the memory of a CTA --------------------===//

#include "SharedMemory.h"
#include "Parts.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static constexpr unsigned kSharedSpace = 3;
/// The most that one instruction moves.
static constexpr int64_t kBytesPerAccess = 16;

Type triton_shared::getSharedType(Type elementType) {
  Builder builder(elementType.getContext());
  if (elementType.isIndex())
    return builder.getI64Type();
  if (elementType.isInteger(1))
    return builder.getI8Type();
  return getRegisterType(elementType);
}

int64_t triton_shared::getSharedTypeBytes(Type elementType) {
  return getSharedType(elementType).getIntOrFloatBitWidth() / 8;
}

/// Registers as they lie in shared memory.
static Value toShared(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  auto shared = VectorType::get(type.getShape(), getSharedType(element));
  if (shared == type)
    return vector;
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, shared, vector);
  return arith::ExtUIOp::create(builder, loc, shared, vector);
}

static Value fromShared(OpBuilder &builder, Location loc, Value vector,
                        Type element) {
  element = getRegisterType(element);
  Type sharedElement = getElementTypeOrSelf(vector.getType());
  if (sharedElement == element)
    return vector;
  Type type = element;
  if (auto vectorType = dyn_cast<VectorType>(vector.getType()))
    type = VectorType::get(vectorType.getShape(), element);
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, vector);
  return arith::TruncIOp::create(builder, loc, type, vector);
}

LinearLayout SharedTile::flatten(const LinearLayout &layout) const {
  return layout.reshape(type.getShape(), {type.getNumElements()});
}

int64_t SharedTile::getBytes() const {
  int64_t bytes =
      type.getNumElements() * getSharedTypeBytes(type.getElementType());
  return llvm::alignTo(bytes, kBytesPerAccess);
}

static unsigned getWidth(const LinearLayout &flat, Type elementType) {
  return std::min<int64_t>(flat.countNeighbours(0),
                           kBytesPerAccess / getSharedTypeBytes(elementType));
}

Value SharedTile::createPointer(OpBuilder &builder, Location loc,
                                Value index) const {
  auto offset = op->getAttrOfType<IntegerAttr>(kSharedOffset);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, kSharedSymbol);
  base = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                 offset.getInt() + skipBytes)});
  return LLVM::GEPOp::create(builder, loc, pointer,
                             getSharedType(type.getElementType()), base,
                             ArrayRef<LLVM::GEPArg>{index});
}

void SharedTile::store(OpBuilder &builder, Location loc, Value vector,
                       const LinearLayout &layout) const {
  LinearLayout flat = flatten(layout);
  unsigned width = getWidth(flat, type.getElementType());
  vector = toShared(builder, loc, vector);
  ElementCoordinates indices(builder, loc, flat);
  int64_t bytes = getSharedTypeBytes(type.getElementType());
  for (unsigned reg = 0; reg < flat.getNumRegisters(); reg += width) {
    Value part = vector::ExtractStridedSliceOp::create(
        builder, loc, vector, ArrayRef<int64_t>{reg}, ArrayRef<int64_t>{width},
        ArrayRef<int64_t>{1});
    LLVM::StoreOp::create(builder, loc, part,
                          createPointer(builder, loc, indices.get(reg, 0)),
                          width * bytes);
  }
}

Value SharedTile::load(OpBuilder &builder, Location loc,
                       const LinearLayout &layout) const {
  LinearLayout flat = flatten(layout);
  Type element = getSharedType(type.getElementType());
  unsigned width = getWidth(flat, type.getElementType());
  unsigned count = flat.getNumRegisters();
  ElementCoordinates indices(builder, loc, flat);
  int64_t bytes = getSharedTypeBytes(type.getElementType());
  SmallVector<Value> elements;
  for (unsigned reg = 0; reg < count; reg += width) {
    Value part = LLVM::LoadOp::create(
        builder, loc, VectorType::get({width}, element),
        createPointer(builder, loc, indices.get(reg, 0)), width * bytes);
    llvm::append_range(elements, unpackRegisters(builder, loc, part));
  }
  return fromShared(builder, loc, packRegisters(builder, loc, elements),
                    type.getElementType());
}

Value SharedTile::loadElement(OpBuilder &builder, Location loc,
                              Value index) const {
  Type element = getSharedType(type.getElementType());
  Value value = LLVM::LoadOp::create(builder, loc, element,
                                     createPointer(builder, loc, index));
  return fromShared(builder, loc, value, type.getElementType());
}
