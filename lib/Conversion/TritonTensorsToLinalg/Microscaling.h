//===- Microscaling.h - Numbers of the microscaling formats -----*- C++ -*-===//
//
// How the bits of an element or a scale of `tt.dot_scaled` read as f32, one
// scalar at a time. All formats are exact in f32.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MICROSCALING_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MICROSCALING_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// The f32 value of `element`: a float of the format, or an i8 with its bits in
/// the low end.
Value decodeElement(OpBuilder &builder, Location loc, Value element,
                    triton::ScaleDotElemType format);

/// Element number `place` (an index, 0 or 1) of the two 4-bit elements in
/// `byte`; the first one has the low bits.
Value unpackElement(OpBuilder &builder, Location loc, Value byte, Value place);

/// The f32 value of `scale`: a float, or an i8 s that stands for 2^(s - 127),
/// and for NaN if all its bits are set.
Value decodeScale(OpBuilder &builder, Location loc, Value scale);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MICROSCALING_H
