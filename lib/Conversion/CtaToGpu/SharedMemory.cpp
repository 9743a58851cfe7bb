//===- SharedMemory.cpp - Tiles in the memory of a CTA --------------------===//

#include "SharedMemory.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

Type triton_shared::getSharedType(Type elementType) {
  Builder builder(elementType.getContext());
  if (elementType.isIndex())
    return builder.getI64Type();
  if (elementType.isInteger(1))
    return builder.getI8Type();
  return getRegisterType(elementType);
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

void triton_shared::createProductFence(OpBuilder &builder, Location loc) {
  MLIRContext *context = builder.getContext();
  NVVM::FenceProxyOp::create(
      builder, loc,
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

SharedTile::SharedTile(Operation *op, RankedTensorType type, int64_t skipBytes)
    : SharedTile(op, type, cta::SharedLayout::getRowMajor(type.getShape()),
                 skipBytes) {}

SharedTile::SharedTile(Operation *op, RankedTensorType type,
                       const cta::SharedLayout &layout, int64_t skipBytes)
    : op(op), elementType(type.getElementType()), layout(layout),
      skipBytes(skipBytes) {}

SharedTile::SharedTile(Value base, Type elementType,
                       const cta::SharedLayout &layout)
    : base(base), elementType(elementType), layout(layout) {}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value triton_shared::createSharedPointer(OpBuilder &builder, Location loc,
                                         Operation *op, int64_t skipBytes) {
  auto offset = op->getAttrOfType<IntegerAttr>(cta::kSharedOffset);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, kSharedSymbol);
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                 offset.getInt() + skipBytes)});
}

Value SharedTile::createBase(OpBuilder &builder, Location loc) const {
  return base ? base : createSharedPointer(builder, loc, op, skipBytes);
}

int32_t SharedTile::getStart(const cta::Coordinates &origin) const {
  return origin.empty() ? 0 : layout.getOffset(origin);
}

Value SharedTile::createPointer(OpBuilder &builder, Location loc,
                                Value index) const {
  Value begin = createBase(builder, loc);
  return LLVM::GEPOp::create(builder, loc, begin.getType(),
                             getSharedType(elementType), begin,
                             ArrayRef<LLVM::GEPArg>{index});
}

SharedPointers::SharedPointers(OpBuilder &builder, Location loc, Value base,
                               Type elementType, const LinearLayout &placed,
                               int32_t start)
    : builder(builder), loc(loc), base(base), elementType(elementType),
      offsets(builder, loc, placed, {start}) {}

Value SharedPointers::advance(Value from, LLVM::GEPArg by) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), elementType, from,
                             ArrayRef<LLVM::GEPArg>{by});
}

Value SharedPointers::get(unsigned reg) {
  auto [ofThread, constant] = offsets.split(reg, 0);
  Value &pointer = made[ofThread];
  if (!pointer)
    pointer = advance(base, ofThread);
  return constant ? advance(pointer, constant) : pointer;
}

void SharedPointers::flip(Value by, int32_t bits) {
  offsets.flip(0, by, bits);
  made.clear();
}

SharedPointers SharedTile::createPointers(OpBuilder &builder, Location loc,
                                          const LinearLayout &placed,
                                          int32_t start) const {
  return SharedPointers(builder, loc, createBase(builder, loc),
                        getSharedType(elementType), placed, start);
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

static unsigned getMaxElements(Type elementType) {
  return GpuTarget::kBytesPerAccess / cta::getElementBytes(elementType);
}

void SharedTile::store(OpBuilder &builder, Location loc, Value vector,
                       const LinearLayout &held) const {
  LinearLayout placed = layout.place(held);
  vector = toShared(builder, loc, vector);
  std::optional<cta::MatrixAccess> matrices;
  if (cta::hasMatrixStores(builder.getInsertionBlock()->getParentOp()))
    matrices = cta::findMatrixAccess(placed, cta::getElementBytes(elementType));
  if (matrices)
    storeMatrices(builder, loc, vector, placed, *matrices);
  else
    storePieces(builder, loc, vector, placed);
}

void SharedTile::storePieces(OpBuilder &builder, Location loc, Value vector,
                             const LinearLayout &placed) const {
  SharedPointers pointers = createPointers(builder, loc, placed);
  for (const cta::Piece &piece :
       cta::getPieces(placed, getMaxElements(elementType)))
    LLVM::StoreOp::create(builder, loc,
                          shuffleRegisters(builder, loc, vector, piece),
                          pointers.get(piece.front()),
                          piece.size() * cta::getElementBytes(elementType));
}

/// How `ldmatrix` and `stmatrix` take rows in memory.
static NVVM::MMALayoutAttr getMatrixLayout(OpBuilder &builder,
                                           bool isTransposed) {
  return NVVM::MMALayoutAttr::get(builder.getContext(),
                                  isTransposed ? NVVM::MMALayout::col
                                               : NVVM::MMALayout::row);
}

void SharedTile::storeMatrices(OpBuilder &builder, Location loc, Value vector,
                               const LinearLayout &placed,
                               const cta::MatrixAccess &access) const {
  MLIRContext *context = builder.getContext();
  SharedPointers pointers = createPointers(builder, loc, access.rows);
  auto word = VectorType::get({1}, builder.getI32Type());
  ArrayRef<cta::Piece> pieces = access.registers;
  for (unsigned i = 0; i < access.rows.getNumRegisters(); ++i) {
    SmallVector<Value> words;
    for (const cta::Piece &piece : pieces.take_front(access.numMatrices))
      words.push_back(unpackRegisters(
          builder, loc,
          vector::BitCastOp::create(
              builder, loc, word,
              shuffleRegisters(builder, loc, vector, piece)))[0]);
    pieces = pieces.drop_front(access.numMatrices);
    NVVM::StMatrixOp::create(builder, loc, pointers.get(i), words,
                             getMatrixLayout(builder, access.isTransposed),
                             NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
                             NVVM::LdStMatrixEltTypeAttr::get(
                                 context, NVVM::LdStMatrixEltType::B16));
  }
}

Value SharedTile::load(OpBuilder &builder, Location loc,
                       const LinearLayout &held,
                       const cta::Coordinates &origin) const {
  LinearLayout placed = layout.place(held);
  std::optional<cta::MatrixAccess> matrices =
      cta::findMatrixAccess(placed, cta::getElementBytes(elementType));
  if (!matrices)
    return loadFrom(builder, loc, held, origin, /*start=*/nullptr, 0);
  return fromShared(
      builder, loc,
      loadMatrices(builder, loc, placed, *matrices, getStart(origin)),
      elementType);
}

Value SharedTile::loadFrom(OpBuilder &builder, Location loc,
                           const LinearLayout &held,
                           const cta::Coordinates &origin, Value start,
                           int32_t startBits) const {
  LinearLayout placed = layout.place(held);
  Type element = getSharedType(elementType);
  SharedPointers pointers =
      createPointers(builder, loc, placed, getStart(origin));
  if (start)
    pointers.flip(start, startBits);
  SmallVector<Value> elements(placed.getNumRegisters());
  for (const cta::Piece &piece :
       cta::getPieces(placed, getMaxElements(elementType))) {
    auto width = static_cast<int64_t>(piece.size());
    Value part = LLVM::LoadOp::create(
        builder, loc, VectorType::get({width}, element),
        pointers.get(piece.front()), width * cta::getElementBytes(elementType));
    for (auto [reg, value] :
         llvm::zip_equal(piece, unpackRegisters(builder, loc, part)))
      elements[reg] = value;
  }
  return fromShared(builder, loc, packRegisters(builder, loc, elements),
                    elementType);
}

/// One `ldmatrix`: a word of each matrix.
static SmallVector<Value> createMatrixLoad(OpBuilder &builder, Location loc,
                                           Value pointer, unsigned count,
                                           bool isTransposed) {
  MLIRContext *context = builder.getContext();
  SmallVector<Type> words(count, builder.getI32Type());
  auto load = NVVM::LdMatrixOp::create(
      builder, loc, packResultTypes(context, words), pointer,
      builder.getI32IntegerAttr(count), getMatrixLayout(builder, isTransposed),
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltTypeAttr::get(context, NVVM::LdStMatrixEltType::B16));
  return unpackResults(builder, loc, load.getRes(), count);
}

Value SharedTile::loadMatrices(OpBuilder &builder, Location loc,
                               const LinearLayout &placed,
                               const cta::MatrixAccess &access,
                               int32_t start) const {
  Type element = getSharedType(elementType);
  SharedPointers pointers = createPointers(builder, loc, access.rows, start);
  SmallVector<Value> words;
  for (unsigned i = 0; i < access.rows.getNumRegisters(); ++i)
    llvm::append_range(words, createMatrixLoad(builder, loc, pointers.get(i),
                                               access.numMatrices,
                                               access.isTransposed));
  // The words in a row are a vector of the elements, in another order.
  Value vector = vector::BitCastOp::create(
      builder, loc, VectorType::get({placed.getNumRegisters()}, element),
      packRegisters(builder, loc, words));
  SmallVector<unsigned> sources(placed.getNumRegisters());
  unsigned next = 0;
  for (const cta::Piece &word : access.registers)
    for (unsigned reg : word)
      sources[reg] = next++;
  return shuffleRegisters(builder, loc, vector, sources);
}

Value SharedTile::loadElement(OpBuilder &builder, Location loc,
                              Value index) const {
  Type element = getSharedType(elementType);
  Value value = LLVM::LoadOp::create(builder, loc, element,
                                     createPointer(builder, loc, index));
  return fromShared(builder, loc, value, elementType);
}
