//===- LibraryFunctions.h - What a libdevice function computes --*- C++ -*-===//
//
// libdevice is NVIDIA's mathematical library for kernels; its functions are
// called `__nv_<name>`. The wheel's libdevice module writes these names for
// every target, so they are the portable names of mathematical functions.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_LIBDEVICE_LIBRARYFUNCTIONS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_LIBDEVICE_LIBRARYFUNCTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>
#include <optional>
#include <string>

namespace mlir::triton_shared {

/// Computes a scalar of the given type from scalars.
using ScalarBuilder =
    std::function<Value(OpBuilder &, Location, ValueRange, Type)>;

/// Exactly one of the two is set.
struct LibraryFunction {
  ScalarBuilder build; ///< Computes it in arith and math.
  std::string callee;  ///< The C library's function that computes it for f64.
};

/// What `symbol` computes, if that is known.
std::optional<LibraryFunction> findLibraryFunction(StringRef symbol);

/// What the function `symbol` of libdevice takes and gives; null for others.
FunctionType findLibrarySignature(StringRef symbol, MLIRContext *context);

/// The inverses of erf, erfc and the normal distribution. Empty for other
/// names.
ScalarBuilder findInverseFunction(StringRef name);

/// The modified Bessel functions and the scaled erfc. Empty for other names.
ScalarBuilder findSeriesFunction(StringRef name);

/// The functions on integers and bits, and the conversions, by name without
/// `__nv_`. Empty for other names.
ScalarBuilder findIntegerFunction(StringRef name);

/// The conversions `<from>2<to>_<rounding>`. Empty for other names.
ScalarBuilder findConversionFunction(StringRef name);

/// The functions that round down, up or towards zero. Empty for other names.
ScalarBuilder findRoundedFunction(StringRef name);

/// Four of the eight bytes of `low` and `high`, chosen by the four lower digits
/// of `selector`: a place from 0 to 7, and with 8 added, where `repeatsSign`
/// says so, the byte's top bit eight times. All are i32.
Value permuteBytes(OpBuilder &builder, Location loc, Value low, Value high,
                   Value selector, bool repeatsSign);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_LIBDEVICE_LIBRARYFUNCTIONS_H
