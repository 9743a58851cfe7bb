//===- Scalars.h - Python numbers as C values -------------------*- C++ -*-===//
//
// One Python number becomes the bits that a kernel's parameter has, or a Python
// error that says why it cannot.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_SCALARS_H
#define TRITON_SHARED_PYTHON_SCALARS_H

#include <Python.h>
#include <cstdint>
#include <optional>
#include <string_view>

namespace triton_shared_python {

/// The C types of parameters; the words of the C API's metadata.
enum class Kind { Pointer, I1, I8, I16, I32, I64, F16, BF16, F32, F64 };

std::optional<Kind> parseKind(std::string_view word);

/// Rounds to nearest, ties to even, in one step: no double rounding through
/// f32.
uint16_t roundToF16(double value);
uint16_t roundToBF16(double value);

/// The bits of `number` as a `kind`, in the lowest bytes. An integer must fit
/// the kind as a signed number or, if `isUnsigned`, as an unsigned one.
/// Returns nothing, with a Python error set, for what is not such a number.
std::optional<uint64_t> convertScalar(PyObject *number, Kind kind,
                                      bool isUnsigned);

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_SCALARS_H
