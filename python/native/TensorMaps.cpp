//===- TensorMaps.cpp - Tensor maps of a kernel's launches ----------------===//

#include "TensorMaps.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace triton_shared_python;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TritonSharedMapNumber TensorMap::parseNumber(nb::handle number) {
  names.push_back(nb::cast<std::string>(number[4]));
  return {nb::cast<int>(number[0]), nb::cast<int64_t>(number[1]),
          nb::cast<unsigned>(number[2]), nb::cast<bool>(number[3]),
          names.back().c_str()};
}

TensorMap::TensorMap(const std::string &kernel, nb::handle plan)
    : kernel(kernel), element(nb::cast<std::string>(plan[1])),
      place(nb::cast<size_t>(plan[0])), recipe{}, known{} {
  recipe.kernel = this->kernel.c_str();
  recipe.element = element.c_str();
  recipe.base = parseNumber(plan[2]);
  recipe.rank = nb::len(nb::handle(plan[3]));
  if (recipe.rank < 1 || recipe.rank > tritonSharedMapRank)
    throw nb::value_error("a tensor map has 1 to 5 dimensions");
  for (unsigned i = 0; i < recipe.rank; ++i) {
    recipe.sizes[i] = parseNumber(plan[3][i]);
    recipe.strides[i] = parseNumber(plan[4][i]);
    recipe.box[i] = nb::cast<uint32_t>(plan[5][i]);
  }
  recipe.swizzle = nb::cast<unsigned>(plan[6]);
  recipe.fillsWithNan = parseNumber(plan[7]);
  recipe.mayBeMissing = nb::cast<bool>(plan[8]);
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

bool TensorMap::find(const TritonSharedMapValues &values,
                     TritonSharedTensorMap &map) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Known &one : known) {
    if (std::memcmp(&one.values, &values, sizeof values))
      continue;
    map = one.map;
    return true;
  }
  return false;
}

void TensorMap::keep(const TritonSharedMapValues &values,
                     const TritonSharedTensorMap &map) {
  std::lock_guard<std::mutex> lock(mutex);
  known[oldest] = {values, map};
  oldest = (oldest + 1) % kKnown;
}

TensorMap::Encoding TensorMap::encode(const TritonSharedCudaKernel *kernel,
                                      void *const *arguments,
                                      TritonSharedTensorMap &map,
                                      std::string &error) {
  TritonSharedMapValues values = tritonSharedReadMapValues(&recipe, arguments);
  if (values.base && find(values, map))
    return Encoding::Done;
  char text[1024] = "";
  if (!tritonSharedCheckMapValues(&recipe, &values, text, sizeof text)) {
    error = text;
    return Encoding::BadValues;
  }
  char *reason = nullptr;
  if (!tritonSharedCudaKernelEncode(kernel, &recipe, &values, &map, &reason)) {
    error = takeText(reason);
    return Encoding::Refused;
  }
  keep(values, map);
  return Encoding::Done;
}

TensorMaps::TensorMaps(const std::string &kernel, nb::sequence plans,
                       int missingPlace, bool hasOtherForm)
    : missingPlace(missingPlace), hasOtherForm(hasOtherForm) {
  for (nb::handle plan : plans)
    maps.emplace_back(kernel, plan);
  if (maps.size() > 32)
    throw nb::value_error("a kernel has at most 32 tensor maps");
}

Outcome TensorMaps::fill(const TritonSharedCudaKernel *kernel, void **arguments,
                         TritonSharedTensorMap *storage, uint32_t &missing,
                         nb::handle failure) {
  missing = 0;
  if (missingPlace >= 0)
    arguments[missingPlace] = &missing;
  for (size_t i = 0; i < maps.size(); ++i) {
    arguments[maps[i].getPlace()] = &storage[i];
    std::string error;
    TensorMap::Encoding encoding =
        maps[i].encode(kernel, arguments, storage[i], error);
    if (encoding == TensorMap::Encoding::Done)
      continue;
    if (hasOtherForm)
      return Outcome::NeedsOtherForm;
    if (missingPlace < 0) {
      PyErr_SetString(encoding == TensorMap::Encoding::BadValues
                          ? PyExc_ValueError
                          : failure.ptr(),
                      error.c_str());
      return Outcome::Failed;
    }
    storage[i] = {};
    missing |= uint32_t(1) << i;
  }
  return Outcome::Done;
}
