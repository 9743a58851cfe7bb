//===- TensorExchange.cpp - What a tensor is, asked of its library --------===//

#include "TensorExchange.h"

#include <cstring>

using namespace triton_shared_python;

//===----------------------------------------------------------------------===//
// The interface of DLPack 1: the order of members is its own
//===----------------------------------------------------------------------===//

namespace {

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct DLPackExchangeAPI {
  struct Header {
    uint32_t major, minor;
    Header *previous;
  } header;
  void *allocateManaged;
  void *makeManaged;
  void *makeObject;
  int (*describe)(void *object, DLTensor *out);
  void *getCurrentStream;
};

constexpr uint32_t kMajor = 1;

} // namespace

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

/// The functions for objects of `type`; null if there are none.
static const DLPackExchangeAPI *findApi(PyTypeObject *type) {
  PyObject *capsule = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                             "__dlpack_c_exchange_api__");
  void *api =
      capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : nullptr;
  PyErr_Clear();
  // The table lives as long as the process.
  Py_XDECREF(capsule);
  auto *header = static_cast<DLPackExchangeAPI::Header *>(api);
  while (header && header->major > kMajor)
    header = header->previous;
  bool isKnown = header && header->major == kMajor;
  return isKnown ? reinterpret_cast<const DLPackExchangeAPI *>(header)
                 : nullptr;
}

/// The same, remembered for the types that were met first.
static const DLPackExchangeAPI *getApi(PyTypeObject *type) {
  static struct {
    PyTypeObject *type;
    const DLPackExchangeAPI *api;
  } known[4];
  for (auto &one : known) {
    if (one.type == type)
      return one.api;
    if (one.type)
      continue;
    Py_INCREF(type); // Nothing else comes to have its address.
    one = {type, findApi(type)};
    return one.api;
  }
  return findApi(type);
}

std::optional<ExchangedTensor>
triton_shared_python::exchangeTensor(PyObject *tensor) {
  const DLPackExchangeAPI *api = getApi(Py_TYPE(tensor));
  if (!api || !api->describe)
    return std::nullopt;
  DLTensor told;
  if (api->describe(tensor, &told)) {
    PyErr_Clear();
    return std::nullopt;
  }
  uint32_t element;
  std::memcpy(&element, &told.dtype, sizeof element);
  uint64_t address = reinterpret_cast<uint64_t>(told.data) + told.byteOffset;
  return ExchangedTensor{address, told.deviceType, element};
}
