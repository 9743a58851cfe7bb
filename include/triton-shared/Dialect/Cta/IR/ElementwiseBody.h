//===- ElementwiseBody.h - A scalar region on many elements -----*- C++ -*-===//
//
// A region that combines single elements also combines tiles or vectors of
// them, if each of its operations works element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_ELEMENTWISEBODY_H
#define TRITON_SHARED_DIALECT_CTA_IR_ELEMENTWISEBODY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::cta {

/// How a body becomes one on many elements at once.
struct ElementwiseBody {
  /// The shaped type of many elements of the given type.
  llvm::function_ref<Type(Type)> getManyType;
  /// Many times the given single value.
  llvm::function_ref<Value(OpBuilder &, Location, Value)> createSplat;
  /// Operations that are not element-wise but have a meaning of their own:
  /// gives their value on many elements, or null. May be null itself.
  llvm::function_ref<Value(OpBuilder &, Operation &, ValueRange)> special =
      nullptr;
};

/// True if every operation of `body` works element by element, or `isSpecial`
/// takes care of it.
bool isElementwise(Block &body,
                   llvm::function_ref<bool(Operation &)> isSpecial = nullptr);

/// Makes what the terminator of `body` returns for `arguments`: one value per
/// block argument, shaped or single. Operations on single values stay so; what
/// is returned is always shaped. Needs `isElementwise`.
SmallVector<Value> cloneElementwise(OpBuilder &builder, Block &body,
                                    ValueRange arguments,
                                    const ElementwiseBody &how);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_ELEMENTWISEBODY_H
