//===- MakeAgain.cpp - A tile in another layout ---------------------------===//

#include "MakeAgain.h"
#include "LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Target/GpuTarget.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// The most operations that are repeated to save one conversion.
static constexpr unsigned kMaxRepeated = 16;
/// The most elements of a thread that are loaded again for that.
static constexpr unsigned kMaxLoaded = 8;

/// True for operations that make a tile of nothing but numbers: it costs
/// nothing to make it in any layout.
static bool isMadeOfNothing(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return isa<arith::ConstantOp>(op) ||
         (tiles && tiles.isMadeAgain() &&
          llvm::none_of(op->getOperandTypes(),
                        llvm::IsaPred<RankedTensorType>));
}

bool triton_shared::isAmongProducts(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  for (; loop; loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    WalkResult found = loop->walk([&](cta::DotOp dot) {
      return dot->getParentOfType<LoopLikeOpInterface>() == loop
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

bool triton_shared::isSmallLoad(Operation *op) {
  auto load = dyn_cast<tts::LoadOp>(op);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : nullptr;
  auto numWarps = cta::getNumWarps(op->getParentOfType<func::FuncOp>());
  return type && numWarps && !load.isVolatile() && !load.getMask() &&
         !load.hasOffsetPerElement() &&
         type.getNumElements() < *numWarps * GpuTarget::kWarpSize &&
         !isAmongProducts(op);
}

/// True for operations that compute each element by itself, of what `op` is
/// given.
static bool isRepeatable(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return isMadeOfNothing(op) || (tiles && tiles.isMadeAgain()) ||
         (isElementwiseOnTiles(op) && op->getNumRegions() == 0 && isPure(op));
}

/// True if `value` is made by few operations of nothing but constants, scalars
/// and indices, and what `isSource` says; `count` counts the operations.
static bool isCheap(Value value, unsigned &count,
                    function_ref<bool(Operation *)> isSource) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !(isRepeatable(op) || isSource(op)) || ++count > kMaxRepeated)
    return false;
  return isMadeOfNothing(op) ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isCheap(operand, count, isSource);
         });
}

bool triton_shared::isMadeOfIndices(Value value) {
  unsigned count = 0;
  return isCheap(value, count, [](Operation *) { return false; });
}

Attribute triton_shared::retype(Attribute value, ShapedType type) {
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return elements.reshape(type);
  return value;
}

static Value repeat(OpBuilder &builder, Value value,
                    const LinearLayout &layout) {
  if (!isa<RankedTensorType>(value.getType()) ||
      cta::getLayout(value.getType()) == layout)
    return value;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (const cta::LayoutRelation &relation : getLayoutRelations(op, value))
    if (llvm::is_contained(op->getOperands(), relation.related))
      mapping.map(relation.related,
                  repeat(builder, relation.related, relation.follow(layout)));
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op, mapping);
  for (Value result : copy->getResults())
    result.setType(cta::withLayout(result.getType(), layout));
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<TypedAttr>(
        retype(constant.getValue(), cast<ShapedType>(constant.getType()))));
  unsigned number = cast<OpResult>(value).getResultNumber();
  return copy->getResult(number);
}

Value triton_shared::getWithLayout(OpBuilder &builder, Value value,
                                   const LinearLayout &layout) {
  OpBuilder::InsertionGuard guard(builder);
  unsigned count = 0;
  auto isLoadedAgain = [&](Operation *op) {
    return isSmallLoad(op) && layout.getNumRegisters() <= kMaxLoaded;
  };
  if (isCheap(value, count, isLoadedAgain))
    return repeat(builder, value, layout);
  builder.setInsertionPointAfterValue(value);
  return cta::ConvertLayoutOp::create(
      builder, value.getLoc(), cta::withLayout(value.getType(), layout), value);
}
