//===- MakeAgain.cpp - A tile in another layout ---------------------------===//

#include "MakeAgain.h"
#include "LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// The most operations that are repeated to save one conversion.
static constexpr unsigned kMaxRepeated = 16;

bool triton_shared::isMadeOfNothing(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return isa<arith::ConstantOp>(op) ||
         (tiles && tiles.isMadeAgain() &&
          llvm::none_of(op->getOperandTypes(),
                        llvm::IsaPred<RankedTensorType>));
}

static bool isRepeatable(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return isMadeOfNothing(op) || (tiles && tiles.isMadeAgain()) ||
         (isElementwiseOnTiles(op) && op->getNumRegions() == 0 && isPure(op));
}

/// True if `value` is made of nothing but constants, scalars and indices;
/// `count` counts the operations.
static bool isCheap(Value value, unsigned &count) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isRepeatable(op) || ++count > kMaxRepeated)
    return false;
  return isMadeOfNothing(op) ||
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isCheap(operand, count); });
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
  if (isCheap(value, count))
    return repeat(builder, value, layout);
  builder.setInsertionPointAfterValue(value);
  return cta::ConvertLayoutOp::create(
      builder, value.getLoc(), cta::withLayout(value.getType(), layout), value);
}
