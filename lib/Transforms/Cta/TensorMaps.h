//===- TensorMaps.h - Boxes of tensors, told to the copy engine -*- C++ -*-===//
//
// The copy engine is told about a tensor by a tensor map, which a launch makes
// of the kernel's arguments and passes as one more; or the kernel itself does,
// of numbers that it computes.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_TENSORMAPS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_TENSORMAPS_H

#include "mlir/IR/IRMapping.h"
#include "triton-shared/Analysis/TensorBox.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// How a box is copied to a buffer.
struct TensorMap {
  /// Where it lies.
  Value address;
  /// The dimensions of the buffer's tile in the order of the map, the outermost
  /// first, and how much of each one copy takes.
  SmallVector<int64_t> dims, piece;
};

/// The map for copies of `box` to `buffer`, in whose layout the copy engine can
/// write: a parameter of the kernel, which gets it if it has none like it, or
/// made in the kernel as soon as it has the numbers.
TensorMap addTensorMap(const TensorBox &box, cta::AllocOp buffer);

/// True if the copy engine of the GPU that `function` is made for can be told
/// about `box`.
bool canTell(const TensorBox &box, FunctionOpInterface function);

/// The values that a map of `box` is made of in the kernel: none if a launch
/// makes it.
SmallVector<Value> getComputedNumbers(const TensorBox &box);

/// Where `box`, that of `access`, begins: an i32 for each dimension, the
/// outermost first. What lies beyond every tensor stays beyond.
SmallVector<Value> createBoxStart(OpBuilder &builder, Location loc,
                                  tts::AccessOpInterface access,
                                  const TensorBox &box,
                                  const IRMapping &mapping);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_TENSORMAPS_H
