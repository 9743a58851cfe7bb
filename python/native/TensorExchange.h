//===- TensorExchange.h - What a tensor is, asked of its library *- C++ -*-===//
//
// Libraries of tensors give C programs a table of functions, by which one call
// tells where a tensor lies and what its elements are; Python's attributes
// would take a call each. Source: the DLPack specification, "C Exchange API".
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_TENSOREXCHANGE_H
#define TRITON_SHARED_PYTHON_TENSOREXCHANGE_H

#include <Python.h>
#include <cstdint>
#include <optional>

namespace triton_shared_python {

struct ExchangedTensor {
  bool isOn(bool host) const {
    // DLDeviceType: kDLCPU, kDLCUDA.
    return deviceType == (host ? 1 : 2);
  }

  uint64_t address;
  int32_t deviceType;
  /// The type of an element, as DLPack numbers it; never 0.
  uint32_t element;
};

/// Nothing, and no error, where the library of `tensor` has no such functions
/// or they fail: then its attributes say more.
std::optional<ExchangedTensor> exchangeTensor(PyObject *tensor);

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_TENSOREXCHANGE_H
