//===- Topics.h - The topics of linalg-to-cta -------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOCTA_TOPICS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOCTA_TOPICS_H

#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/ElementwiseBody.h"

namespace mlir::triton_shared {

void populateLinalgToCtaGeneric(RewritePatternSet &patterns);
void populateLinalgToCtaReduce(RewritePatternSet &patterns);
void populateLinalgToCtaCollectives(RewritePatternSet &patterns);
void populateLinalgToCtaShapes(RewritePatternSet &patterns);
void populateLinalgToCtaSlices(RewritePatternSet &patterns);

/// `type` with another element type.
inline RankedTensorType withElements(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType);
}

/// How a scalar body becomes one on tiles of the shape of `type`.
/// Must outlive the calls that use it.
class TileBody {
public:
  explicit TileBody(RankedTensorType type) : type(type) {}

  cta::ElementwiseBody
  get(llvm::function_ref<Value(OpBuilder &, Operation &, ValueRange)> special =
          nullptr) const {
    return {getManyType, createSplat, special};
  }

private:
  RankedTensorType type;
  std::function<Type(Type)> tileOf = [this](Type element) -> Type {
    return withElements(type, element);
  };
  std::function<Value(OpBuilder &, Location, Value)> splat =
      [this](OpBuilder &builder, Location loc, Value value) -> Value {
    return cta::SplatOp::create(builder, loc,
                                withElements(type, value.getType()), value);
  };
  llvm::function_ref<Type(Type)> getManyType = tileOf;
  llvm::function_ref<Value(OpBuilder &, Location, Value)> createSplat = splat;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOCTA_TOPICS_H
