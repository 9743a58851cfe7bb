//===- CudaLauncher.cpp - Launches on an NVIDIA GPU -----------------------===//

#include "CudaLauncher.h"

#include <algorithm>
#include <array>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace triton_shared_python;

CudaKernel::CudaKernel(nb::bytes cubin, const std::string &entry,
                       uint32_t sharedBytes, int device) {
  char *error = nullptr;
  {
    nb::gil_scoped_release released;
    handle = tritonSharedCudaKernelLoad({cubin.c_str(), cubin.size()},
                                        {entry.data(), entry.size()},
                                        sharedBytes, device, &error);
  }
  if (!handle)
    throw std::runtime_error(takeText(error));
}

CudaLauncher::CudaLauncher(std::string name, nb::sequence plan, nb::object link,
                           nb::object check, nb::object failure,
                           uint32_t threads, uint32_t programs,
                           bool isCooperative, bool startsEarly,
                           nb::sequence tensorMaps, int missingPlace,
                           nb::sequence bounds, nb::object otherForm)
    : Launcher(std::move(name), plan, Memory::Device, std::move(link),
               std::move(check), std::move(failure)),
      settings{{0, 0, 0}, threads,       programs,
               nullptr,   isCooperative, startsEarly},
      tensorMaps(this->name, tensorMaps, missingPlace, !otherForm.is_none()),
      bounds(bounds) {
  this->otherForm = std::move(otherForm);
}

/// Of what somebody has replaced there is no other form.
Outcome CudaLauncher::refuseBounds() const {
  if (!otherForm.is_none())
    return Outcome::NeedsOtherForm;
  PyErr_Format(PyExc_ValueError,
               "kernel '%s' copies by TMA, where blocks begin below 2^30 along "
               "a dimension: those of this launch may begin beyond it\n"
               "launch it for a part of the tensors at a time, or compile it "
               "with pointer_maps=\"guarded\"",
               name.c_str());
  return Outcome::Failed;
}

Outcome CudaLauncher::launch(nb::handle kernel, const uint32_t *grid,
                             nb::handle stream, void **arguments,
                             char *&error) {
  TritonSharedCudaLaunch launch = settings;
  std::copy_n(grid, 3, launch.grid);
  if (!stream.is_none()) {
    launch.stream = PyLong_AsVoidPtr(stream.ptr());
    if (!launch.stream && PyErr_Occurred())
      nb::raise_python_error();
  }
  const TritonSharedCudaKernel *handle =
      nb::inst_ptr<CudaKernel>(kernel)->get();
  std::array<TritonSharedTensorMap, 4> inlineMaps;
  std::vector<TritonSharedTensorMap> manyMaps(
      tensorMaps.size() > inlineMaps.size() ? tensorMaps.size() : 0);
  uint32_t missing = 0;
  // An empty tensor, of which there is no map, is no error in an empty grid.
  bool isEmpty = std::count(grid, grid + 3, 0u) > 0;
  if (!isEmpty) {
    if (!bounds.hold(arguments, grid))
      return refuseBounds();
    Outcome filled =
        tensorMaps.fill(handle, arguments,
                        manyMaps.empty() ? inlineMaps.data() : manyMaps.data(),
                        missing, failure);
    if (filled != Outcome::Done)
      return filled;
  }
  nb::gil_scoped_release released; // the queue of a stream may be full
  bool isDone =
      tritonSharedCudaKernelLaunch(handle, arguments, &launch, &error);
  return isDone ? Outcome::Done : Outcome::Failed;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Makes a call that fills its last argument if it fails.
template <typename Call> static void checked(Call call) {
  char *error = nullptr;
  if (!call(&error))
    throw std::runtime_error(takeText(error));
}

static nb::dict describeDevice(int device) {
  TritonSharedCudaDevice facts;
  checked([&](char **error) {
    return tritonSharedCudaDescribeDevice(device, &facts, error);
  });
  nb::dict result;
  result["name"] = facts.name;
  result["capability"] = nb::make_tuple(facts.major, facts.minor);
  result["multiprocessors"] = facts.multiprocessors;
  result["warp_size"] = facts.warpSize;
  result["max_threads"] = facts.maxThreads;
  result["shared_bytes"] = facts.sharedBytes;
  result["registers"] = facts.registers;
  result["cache_bytes"] = facts.cacheBytes;
  result["clock_kilohertz"] = facts.clockKilohertz;
  result["memory_clock_kilohertz"] = facts.memoryClockKilohertz;
  result["memory_bus_bits"] = facts.memoryBusBits;
  return result;
}

void triton_shared_python::defineCuda(nb::module_ &module) {
  module.def(
      "cuda_open",
      [](const std::string &path) {
        checked([&](char **error) {
          return tritonSharedCudaOpen({path.data(), path.size()}, error);
        });
      },
      nb::arg("path"));
  module.def("cuda_count_devices", [] {
    int32_t count = 0;
    checked([&](char **error) {
      return tritonSharedCudaCountDevices(&count, error);
    });
    return count;
  });
  module.def("cuda_get_device", &tritonSharedCudaGetDevice);
  module.def(
      "cuda_set_device",
      [](int device) {
        checked([&](char **error) {
          return tritonSharedCudaSetDevice(device, error);
        });
      },
      nb::arg("device"));
  module.def("cuda_describe_device", &describeDevice, nb::arg("device"));

  nb::class_<CudaKernel>(module, "CudaKernel")
      .def(nb::init<nb::bytes, std::string, uint32_t, int>(), nb::arg("cubin"),
           nb::arg("entry"), nb::arg("shared_bytes"), nb::arg("device"))
      .def_prop_ro("registers",
                   [](const CudaKernel &k) { return k.describe().registers; })
      .def_prop_ro("local_bytes",
                   [](const CudaKernel &k) { return k.describe().localBytes; })
      .def_prop_ro("max_threads",
                   [](const CudaKernel &k) { return k.describe().maxThreads; })
      .def("__index__", [](const CudaKernel &k) {
        return reinterpret_cast<uintptr_t>(k.describe().function);
      });

  nb::class_<CudaLauncher, Launcher>(module, "CudaLauncher")
      .def(nb::init<std::string, nb::sequence, nb::object, nb::object,
                    nb::object, uint32_t, uint32_t, bool, bool, nb::sequence,
                    int, nb::sequence, nb::object>(),
           nb::arg("name"), nb::arg("plan"), nb::arg("link"), nb::arg("check"),
           nb::arg("failure"), nb::arg("threads"), nb::arg("programs"),
           nb::arg("cooperative"), nb::arg("starts_early"),
           nb::arg("tensor_maps"), nb::arg("missing_place"), nb::arg("bounds"),
           nb::arg("other_form").none())
      .def_prop_ro("other_form", &CudaLauncher::getOtherForm);
}
