//===- GpuProduct.h - A product that adds up as a GPU does ------*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_GPUPRODUCT_H
#define TRITON_SHARED_CONVERSION_GPUPRODUCT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// What `tts.gpu_product` says of a product.
struct GpuProduct {
  /// `mma`, `wgmma`, or `fma` for one product after the other.
  std::string instruction = "fma";
  /// What the instruction reads its operands as, and what it adds up in: a
  /// word of `findFormat`.
  std::string left, right, sum;
  /// The numbers of TensorCores.def; zero for `fma`.
  int64_t block = 0, fraction = 0, result = 0;
  /// How much of K is added up apart, beginning at zero, before its sum is
  /// added to the others in f32; zero for all.
  int64_t part = 0;

  DictionaryAttr encode(MLIRContext *context) const;
  /// The one of `op`; nothing if it is none of a GPU's products.
  static std::optional<GpuProduct> read(Operation *op);
};

/// The number that the runtime has for a format (`f16`, `bf16`, `e4m3`, `e5m2`,
/// `tf32-nearest`, `tf32-cut`, `f32`, `f64`).
std::optional<int32_t> findFormat(StringRef word);

/// The word for what memory holds; empty if the runtime cannot read it.
StringRef nameFormat(Type element);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_GPUPRODUCT_H
