//===- PointerParts.h - The parts of block pointers and descriptors -*- C++
//-*-=//
//
// A block pointer or a descriptor is a list of scalars while it is converted.
// This gives the list names.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERPARTS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERPARTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// The strided tensor that a block pointer or a descriptor points into; shape,
/// strides and offsets count elements in i64.
struct TensorParts {
  Value base;
  SmallVector<Value> shape, strides;
  /// Where the block starts; block pointers only.
  SmallVector<Value> offsets;
  /// Whether outside of the tensor lies NaN instead of 0; descriptors only.
  Value paddingIsNan;
  /// Whether f32 values are rounded to tf32 when loaded; descriptors only.
  Value roundsToTf32;

  static TensorParts ofBlockPointer(ValueRange parts);
  static TensorParts ofDescriptor(ValueRange parts);
  SmallVector<Value> flatten() const;
};

/// The offset, in elements, of the block at `offsets`, and its dimensions;
/// those in `bounded` end where the tensor ends.
struct BlockPlace {
  Value offset;
  SmallVector<tts::DimensionAccess> dimensions;
};
BlockPlace placeBlock(OpBuilder &builder, Location loc,
                      const TensorParts &tensor, ArrayRef<Value> offsets,
                      ArrayRef<int32_t> bounded);

void populateBlockPointerPatterns(RewritePatternSet &patterns,
                                  const TypeConverter &converter);
void populateDescriptorPatterns(RewritePatternSet &patterns,
                                const TypeConverter &converter);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERPARTS_H
