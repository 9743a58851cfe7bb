//===- CpuLauncher.cpp - Launches on this processor -----------------------===//

#include "CpuLauncher.h"

#include <algorithm>
#include <cstdio>

namespace nb = nanobind;
using namespace triton_shared_python;

TritonSharedLaunch &triton_shared_python::launchSettings() {
  static TritonSharedLaunch settings = {};
  return settings;
}

Kernel::Kernel(nb::bytes object, const std::string &entry, bool sideBySide)
    : sideBySide(sideBySide) {
  char *error = nullptr;
  handle = tritonSharedKernelLoad({object.c_str(), object.size()},
                                  {entry.data(), entry.size()}, &error);
  if (!handle)
    throw nb::value_error(takeText(error).c_str());
}

bool CpuLauncher::launch(nb::handle kernel, const uint32_t *grid, nb::handle,
                         void *const *arguments, char *&error) {
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  TritonSharedLaunch launch = launchSettings();
  std::copy_n(grid, 3, launch.grid);
  const Kernel &linked = *nb::inst_ptr<Kernel>(kernel);
  launch.sideBySide = linked.isSideBySide();
  nb::gil_scoped_release released;
  bool succeeded =
      tritonSharedKernelLaunch(linked.get(), arguments, &launch, &error);
  std::fflush(stdout); // what `tl.device_print` wrote
  return succeeded;
}
