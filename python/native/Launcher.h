//===- Launcher.h - The launch path -----------------------------*- C++ -*-===//
//
// What Triton calls for every launch of a kernel: hooks, arguments, the grid.
// Made once per kernel; a launch allocates nothing for up to 64 C values.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_LAUNCHER_H
#define TRITON_SHARED_PYTHON_LAUNCHER_H

#include "Parameters.h"
#include "triton-shared/CAPI/TritonShared.h"

namespace triton_shared_python {

/// Owns a linked object file.
class Kernel {
public:
  /// Raises ValueError if `object` cannot be linked.
  Kernel(nanobind::bytes object, const std::string &entry);
  ~Kernel() { tritonSharedKernelDestroy(handle); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const TritonSharedKernel *get() const { return handle; }

private:
  TritonSharedKernel *handle;
};

/// How all grids run: threads, order, seed. The grid itself is not part of it.
TritonSharedLaunch &launchSettings();

class Launcher {
public:
  Launcher(std::string name, nanobind::sequence plan, nanobind::object link,
           nanobind::object check, nanobind::object failure);

  /// Grid x y z, stream, function, packed metadata, launch metadata, enter
  /// hook, exit hook, then the kernel's arguments.
  void operator()(nanobind::args args);

private:
  /// Links the object of `function` unless it is the one of the last launch.
  void bind(nanobind::handle function);
  void run(const uint32_t *grid, PyObject *const *args, size_t count);

  std::string name;
  std::vector<Parameter> parameters;
  size_t valueCount;
  nanobind::object link, check, failure;
  /// Per parameter the dtype object that `check` accepted last.
  std::vector<nanobind::object> dtypes;
  nanobind::object function, kernel;
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_LAUNCHER_H
