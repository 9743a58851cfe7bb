//===- Structured.cpp - The tts dialect and its description of blocks -----===//
//
// What the operations share: which types are bases, and the translation between
// the flat operand lists of an operation and one DimensionAccess per dimension.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tts;
namespace tt = mlir::triton;

#include "triton-shared/Dialect/Structured/IR/StructuredDialect.cpp.inc"
#include "triton-shared/Dialect/Structured/IR/StructuredEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Structured/IR/AccessOpInterface.cpp.inc"
#include "triton-shared/Dialect/Structured/IR/StructuredAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "triton-shared/Dialect/Structured/IR/StructuredOps.cpp.inc"

void TTSDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "triton-shared/Dialect/Structured/IR/StructuredAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "triton-shared/Dialect/Structured/IR/StructuredOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

bool tts::isAccessBase(Type type) {
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return pointer.getPointeeType().isIntOrFloat();
  return isa<UnrankedMemRefType>(type);
}

bool tts::isAddressable(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  return isAccessBase(type) ||
         (pointer && isa<tt::PointerType>(pointer.getPointeeType()));
}

Type tts::getAccessElementType(Type base) {
  if (auto pointer = dyn_cast<tt::PointerType>(base))
    return pointer.getPointeeType();
  return cast<UnrankedMemRefType>(base).getElementType();
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

namespace {

/// The operand lists that describe the dimensions of a block.
struct FlatDimensions {
  explicit FlatDimensions(ArrayRef<DimensionAccess> dimensions) {
    for (auto [d, dimension] : llvm::enumerate(dimensions)) {
      dispatchIndexOpFoldResult(dimension.stride, strides, staticStrides);
      if (dimension.isWrapped()) {
        wrappedDims.push_back(d);
        wrapStarts.push_back(dimension.wrapStart);
        wrapSizes.push_back(dimension.wrapSize);
      }
      if (dimension.isGathered()) {
        gatheredDims.push_back(d);
        indices.push_back(dimension.indices);
      }
      if (dimension.isBounded()) {
        boundedDims.push_back(d);
        lows.push_back(dimension.low);
        highs.push_back(dimension.high);
      }
    }
  }

  SmallVector<Value> strides, wrapStarts, wrapSizes, indices, lows, highs;
  SmallVector<int64_t> staticStrides, wrappedDims, gatheredDims, boundedDims;
};

template <typename AccessOp>
SmallVector<DimensionAccess> getDimensionsOf(AccessOp op) {
  SmallVector<DimensionAccess> dimensions;
  Builder builder(op.getContext());
  for (OpFoldResult stride :
       getMixedValues(op.getStaticStrides(), op.getStrides(), builder))
    dimensions.push_back({stride});
  for (auto [d, start, size] : llvm::zip_equal(
           op.getWrappedDims(), op.getWrapStarts(), op.getWrapSizes())) {
    dimensions[d].wrapStart = start;
    dimensions[d].wrapSize = size;
  }
  for (auto [d, indices] :
       llvm::zip_equal(op.getGatheredDims(), op.getIndices()))
    dimensions[d].indices = indices;
  for (auto [d, low, high] :
       llvm::zip_equal(op.getBoundedDims(), op.getLows(), op.getHighs())) {
    dimensions[d].low = low;
    dimensions[d].high = high;
  }
  return dimensions;
}

template <typename AccessOp>
std::optional<int64_t> findGatheredDimOf(AccessOp op, OpOperand &operand) {
  OperandRange indices = op.getIndices();
  if (indices.empty())
    return std::nullopt;
  unsigned first = indices.getBeginOperandIndex();
  unsigned number = operand.getOperandNumber();
  if (number < first || number >= first + indices.size())
    return std::nullopt;
  return op.getGatheredDims()[number - first];
}

} // namespace

SmallVector<DimensionAccess> LoadOp::getDimensions() {
  return getDimensionsOf(*this);
}

SmallVector<DimensionAccess> StoreOp::getDimensions() {
  return getDimensionsOf(*this);
}

std::optional<int64_t> LoadOp::findGatheredDim(OpOperand &operand) {
  return findGatheredDimOf(*this, operand);
}

std::optional<int64_t> StoreOp::findGatheredDim(OpOperand &operand) {
  return findGatheredDimOf(*this, operand);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Type result,
                   Value base, Value offset,
                   ArrayRef<DimensionAccess> dimensions, Value mask,
                   Value other) {
  FlatDimensions flat(dimensions);
  build(builder, state, result, base, offset, flat.strides, flat.staticStrides,
        flat.wrapStarts, flat.wrapSizes, flat.wrappedDims, flat.indices,
        flat.gatheredDims, flat.lows, flat.highs, flat.boundedDims, mask, other,
        /*cache=*/nullptr, /*evict=*/nullptr, /*is_volatile=*/false);
}

LoadOp LoadOp::cloneWith(OpBuilder &builder, Value offset,
                         ArrayRef<DimensionAccess> dimensions) {
  auto made = LoadOp::create(builder, getLoc(), getType(), getBase(), offset,
                             dimensions, getMask(), getOther());
  made->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  made.setCacheAttr(getCacheAttr());
  made.setEvictAttr(getEvictAttr());
  made.setIsVolatile(getIsVolatile());
  return made;
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value base, Value offset,
                    ArrayRef<DimensionAccess> dimensions, Value mask) {
  FlatDimensions flat(dimensions);
  build(builder, state, value, base, offset, flat.strides, flat.staticStrides,
        flat.wrapStarts, flat.wrapSizes, flat.wrappedDims, flat.indices,
        flat.gatheredDims, flat.lows, flat.highs, flat.boundedDims, mask,
        /*cache=*/nullptr, /*evict=*/nullptr);
}

StoreOp StoreOp::cloneWith(OpBuilder &builder,
                           ArrayRef<DimensionAccess> dimensions) {
  auto made = StoreOp::create(builder, getLoc(), getValue(), getBase(),
                              getOffset(), dimensions, getMask());
  made->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  made.setCacheAttr(getCacheAttr());
  made.setEvictAttr(getEvictAttr());
  return made;
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

/// A stride that is a constant is part of the description.
template <typename AccessOp>
static LogicalResult foldConstantStrides(AccessOp op,
                                         PatternRewriter &rewriter) {
  SmallVector<OpFoldResult> strides =
      getMixedValues(op.getStaticStrides(), op.getStrides(), rewriter);
  if (failed(foldDynamicIndexList(strides)))
    return rewriter.notifyMatchFailure(op, "no dynamic stride is a constant");
  SmallVector<Value> dynamicStrides;
  SmallVector<int64_t> staticStrides;
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  rewriter.modifyOpInPlace(op, [&] {
    op.getStridesMutable().assign(dynamicStrides);
    op.setStaticStrides(staticStrides);
  });
  return success();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  return foldConstantStrides(op, rewriter);
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  return foldConstantStrides(op, rewriter);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// A volatile read must happen as often, and where, the source says: to the
/// optimizer it also writes.
static void
addReadEffects(bool isVolatile,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (isVolatile)
    effects.emplace_back(MemoryEffects::Write::get());
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReadEffects(getIsVolatile(), effects);
}

void GatherOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReadEffects(getIsVolatile(), effects);
}

//===----------------------------------------------------------------------===//
// Registers of the machine
//===----------------------------------------------------------------------===//

unsigned tts::getWidth(MachineRegister name) {
  return name == MachineRegister::Clock64 || name == MachineRegister::Timer
             ? 64
             : 32;
}

bool tts::isOfThread(MachineRegister name) {
  return name >= MachineRegister::Thread;
}
