//===- Scalars.cpp - Python numbers as C values ---------------------------===//

#include "Scalars.h"

#include <cmath>
#include <cstring>

using namespace triton_shared_python;

std::optional<Kind> triton_shared_python::parseKind(std::string_view word) {
  static constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"ptr", Kind::Pointer}, {"i1", Kind::I1},     {"i8", Kind::I8},
      {"i16", Kind::I16},     {"i32", Kind::I32},   {"i64", Kind::I64},
      {"f16", Kind::F16},     {"bf16", Kind::BF16}, {"f32", Kind::F32},
      {"f64", Kind::F64}};
  for (const auto &[name, kind] : kinds)
    if (name == word)
      return kind;
  return std::nullopt;
}

namespace {

/// A binary float of 16 bits: sign, exponent, and `mantissaBits` of mantissa.
struct Format {
  int mantissaBits;
  int minExponent; // of the smallest normal number
  int maxExponent; // of the largest finite number
};

uint16_t roundTo(double value, Format format) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = static_cast<uint16_t>(
      (format.maxExponent - format.minExponent + 2) << format.mantissaBits);
  if (std::isnan(value))
    return sign | infinity | (1u << (format.mantissaBits - 1));
  double size = std::fabs(value);
  if (size == 0 || std::isinf(value))
    return sign | (size == 0 ? 0 : infinity);

  // Scaled so that a unit in the last place is one, `nearbyint` rounds. All
  // steps but the rounding are exact: they only move the exponent.
  int exponent = std::max(std::ilogb(size), format.minExponent);
  double units =
      std::nearbyint(std::ldexp(size, format.mantissaBits - exponent));
  // The implicit one of a normal number carries into the exponent field, and so
  // does a mantissa that rounds up to the next power of two.
  int64_t bits =
      static_cast<int64_t>(units) +
      (int64_t(exponent - format.minExponent) << format.mantissaBits);
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, infinity));
}

unsigned getBitWidth(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return 1;
  case Kind::I8:
    return 8;
  case Kind::I16:
    return 16;
  case Kind::I32:
    return 32;
  default:
    return 64;
  }
}

std::optional<uint64_t> failOutOfRange(PyObject *number, unsigned width,
                                       bool isUnsigned) {
  PyErr_Format(PyExc_OverflowError, "%S does not fit in %s %u bits", number,
               isUnsigned ? "unsigned" : "signed", width);
  return std::nullopt;
}

std::optional<uint64_t> convertInteger(PyObject *number, Kind kind,
                                       bool isUnsigned) {
  PyObject *index = PyNumber_Index(number);
  if (!index)
    return std::nullopt;
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(index, &overflow);
  unsigned width = getBitWidth(kind);
  std::optional<uint64_t> result;
  if (overflow > 0 && isUnsigned && width == 64) {
    uint64_t large = PyLong_AsUnsignedLongLong(index);
    if (!PyErr_Occurred())
      result = large;
    else
      PyErr_Clear();
  } else if (!overflow) {
    // A truth value is 0 or 1, whatever the sign of the type.
    bool positive = isUnsigned || width == 1;
    int64_t low = positive      ? 0
                  : width == 64 ? INT64_MIN
                                : -(1LL << (width - 1));
    int64_t high = width == 64 ? INT64_MAX
                   : positive  ? (1LL << width) - 1
                               : (1LL << (width - 1)) - 1;
    if (value >= low && value <= high)
      result = static_cast<uint64_t>(value);
  }
  if (!result)
    failOutOfRange(index, width, isUnsigned);
  Py_DECREF(index);
  return result;
}

template <typename Bits, typename Float> uint64_t getBits(Float value) {
  Bits bits;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

} // namespace

uint16_t triton_shared_python::roundToF16(double value) {
  return roundTo(value, {10, -14, 15});
}

uint16_t triton_shared_python::roundToBF16(double value) {
  return roundTo(value, {7, -126, 127});
}

std::optional<uint64_t> triton_shared_python::convertScalar(PyObject *number,
                                                            Kind kind,
                                                            bool isUnsigned) {
  if (kind < Kind::F16)
    return convertInteger(number, kind, isUnsigned);
  double value = PyFloat_AsDouble(number);
  if (value == -1.0 && PyErr_Occurred())
    return std::nullopt;
  switch (kind) {
  case Kind::F16:
    return roundToF16(value);
  case Kind::BF16:
    return roundToBF16(value);
  case Kind::F32:
    return getBits<uint32_t>(static_cast<float>(value));
  default:
    return getBits<uint64_t>(value);
  }
}
