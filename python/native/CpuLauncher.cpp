//===- CpuLauncher.cpp - Launches on this processor -----------------------===//

#include "CpuLauncher.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

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

/// One entry for each C value that `parameters` become.
static void collectPointers(const std::vector<Parameter> &parameters,
                            std::vector<const char *> &pointers) {
  for (const Parameter &parameter : parameters) {
    if (parameter.form == Parameter::Form::Tuple) {
      collectPointers(parameter.members, pointers);
      continue;
    }
    size_t first = pointers.size();
    pointers.resize(first + countValues({parameter}));
    if (parameter.form == Parameter::Form::Pointer ||
        parameter.form == Parameter::Form::Descriptor)
      pointers[first] = parameter.name.c_str();
  }
}

CpuLauncher::CpuLauncher(std::string name, nb::sequence plan, nb::object link,
                         nb::object check, nb::object failure)
    : Launcher(std::move(name), plan, Memory::Host, std::move(link),
               std::move(check), std::move(failure)) {
  collectPointers(parameters, pointers);
}

/// Runs Python's handlers of signals, on the thread where Python runs them.
/// True if one has raised an exception, which is then pending.
static bool runSignalHandlers(void *) {
  if (gettid() != getpid())
    return false;
  nb::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() != 0;
}

Outcome CpuLauncher::launch(nb::handle kernel, const uint32_t *grid, nb::handle,
                            void **arguments, char *&error) {
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return Outcome::Done;
  TritonSharedLaunch launch = launchSettings();
  std::copy_n(grid, 3, launch.grid);
  const Kernel &linked = *nb::inst_ptr<Kernel>(kernel);
  launch.sideBySide = linked.isSideBySide();
  launch.isInterrupted = runSignalHandlers;
  launch.name = name.c_str();
  launch.pointers = pointers.data();
  launch.argumentCount = pointers.size();
  nb::gil_scoped_release released;
  bool succeeded =
      tritonSharedKernelLaunch(linked.get(), arguments, &launch, &error);
  std::fflush(stdout); // what `tl.device_print` wrote
  return succeeded ? Outcome::Done : Outcome::Failed;
}
