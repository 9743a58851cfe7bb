//===- CpuLauncher.h - Launches on this processor ---------------*- C++ -*-===//

#ifndef TRITON_SHARED_PYTHON_CPULAUNCHER_H
#define TRITON_SHARED_PYTHON_CPULAUNCHER_H

#include "Launcher.h"

namespace triton_shared_python {

/// Owns a linked object file.
class Kernel {
public:
  /// Raises ValueError if `object` cannot be linked. `sideBySide` runs all
  /// programs of a grid at once.
  Kernel(nanobind::bytes object, const std::string &entry, bool sideBySide);
  ~Kernel() { tritonSharedKernelDestroy(handle); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const TritonSharedKernel *get() const { return handle; }
  bool isSideBySide() const { return sideBySide; }

private:
  bool sideBySide;
  TritonSharedKernel *handle;
};

/// How all grids run: threads, order, seed. The grid itself is not part of it.
TritonSharedLaunch &launchSettings();

class CpuLauncher : public Launcher {
public:
  CpuLauncher(std::string name, nanobind::sequence plan, nanobind::object link,
              nanobind::object check, nanobind::object failure);

protected:
  Outcome launch(nanobind::handle kernel, const uint32_t *grid,
                 nanobind::handle stream, void **arguments,
                 char *&error) override;

private:
  /// For each C value the name of the argument that it points for, or null.
  std::vector<const char *> pointers;
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_CPULAUNCHER_H
