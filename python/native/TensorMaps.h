//===- TensorMaps.h - Tensor maps of a kernel's launches --------*- C++ -*-===//
//
// A launch encodes the tensor maps that its kernel has, from its arguments.
// What was encoded for the same numbers before is taken again: then it costs
// comparing them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_TENSORMAPS_H
#define TRITON_SHARED_PYTHON_TENSORMAPS_H

#include "../../runtime/cuda/tensor_map.h"
#include "Launcher.h"

#include <array>
#include <deque>
#include <mutex>
#include <nanobind/nanobind.h>
#include <string>

namespace triton_shared_python {

/// One tensor map, and the last ones that were encoded for it.
class TensorMap {
public:
  /// Reads the tuple that `cuda.tensor_map.as_plan` writes.
  TensorMap(const std::string &kernel, nanobind::handle plan);
  TensorMap(const TensorMap &) = delete;
  TensorMap &operator=(const TensorMap &) = delete;

  /// Which argument of the kernel it is.
  size_t getPlace() const { return place; }

  enum class Encoding { Done, BadValues, Refused };
  /// Fills `map` from `arguments`. On failure `error` says why: the values are
  /// not what a tensor map can have, or the driver refuses them.
  Encoding encode(const TritonSharedCudaKernel *kernel, void *const *arguments,
                  TritonSharedTensorMap &map, std::string &error);

private:
  TritonSharedMapNumber parseNumber(nanobind::handle number);
  bool find(const TritonSharedMapValues &values, TritonSharedTensorMap &map);
  void keep(const TritonSharedMapValues &values,
            const TritonSharedTensorMap &map);

  struct Known {
    TritonSharedMapValues values;
    TritonSharedTensorMap map;
  };
  static constexpr size_t kKnown = 16;

  std::string kernel, element;
  std::deque<std::string> names;
  size_t place;
  TritonSharedTensorMapRecipe recipe;
  std::mutex mutex;
  /// Places without a map have a base of zero, which no map has.
  std::array<Known, kKnown> known;
  size_t oldest = 0;
};

/// All tensor maps of a kernel.
class TensorMaps {
public:
  /// `missingPlace` is the argument that tells the kernel which of its maps
  /// there are, -1 if it does not ask. With `hasOtherForm` there is another
  /// kernel for launches without all of them.
  TensorMaps(const std::string &kernel, nanobind::sequence plans,
             int missingPlace, bool hasOtherForm);

  TensorMaps(const TensorMaps &) = delete;
  TensorMaps &operator=(const TensorMaps &) = delete;

  size_t size() const { return maps.size(); }

  /// Points the arguments of the maps at `storage`, which has a place for each,
  /// and the argument that tells which ones are missing at `missing`. Fails
  /// with a Python error: one of `failure` if it is the driver's.
  Outcome fill(const TritonSharedCudaKernel *kernel, void **arguments,
               TritonSharedTensorMap *storage, uint32_t &missing,
               nanobind::handle failure);

private:
  std::deque<TensorMap> maps;
  int missingPlace;
  bool hasOtherForm;
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_TENSORMAPS_H
