//===- Module.cpp - The extension module triton_shared._native ------------===//
//
// The C API as Python sees it. Types are documented in _native.pyi.
//
//===----------------------------------------------------------------------===//

#include "CheckedLaunch.h"
#include "CpuLauncher.h"
#include "CudaLauncher.h"
#include "SignalHandlers.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

namespace nb = nanobind;
using namespace triton_shared_python;

namespace {

/// Damaged input may be quoted in a diagnostic: what is no UTF-8 is replaced.
nb::str toText(TritonSharedString text) {
  PyObject *decoded = PyUnicode_DecodeUTF8(
      text.data, static_cast<Py_ssize_t>(text.size), "replace");
  if (!decoded)
    nb::raise_python_error();
  return nb::steal<nb::str>(decoded);
}

nb::object split(TritonSharedString words) {
  return toText(words).attr("split")();
}

/// Owns what one compilation left.
class Compilation {
public:
  explicit Compilation(TritonSharedCompilation *handle) : handle(handle) {}
  ~Compilation() { tritonSharedCompilationDestroy(handle); }
  Compilation(Compilation &&other)
      : handle(std::exchange(other.handle, nullptr)) {}
  Compilation &operator=(Compilation &&) = delete;

  bool hasSucceeded() const { return tritonSharedCompilationSucceeded(handle); }
  nb::str getDiagnostics() const {
    return toText(tritonSharedCompilationGetDiagnostics(handle));
  }
  nb::str getMetadata() const {
    return toText(tritonSharedCompilationGetMetadata(handle));
  }
  nb::object getArtefacts() const {
    return split(tritonSharedCompilationListArtefacts(handle));
  }
  nb::bytes getArtefact(const std::string &phase) const {
    TritonSharedString made = tritonSharedCompilationGetArtefact(
        handle, {phase.data(), phase.size()});
    return nb::bytes(made.data, made.size);
  }

private:
  TritonSharedCompilation *handle;
};

Compilation compile(nb::bytes source, const std::string &options) {
  TritonSharedString bytes = {source.c_str(), source.size()};
  nb::gil_scoped_release released;
  return Compilation(
      tritonSharedCompile(bytes, {options.data(), options.size()}));
}

std::tuple<uint32_t, int, uint64_t> getLaunchSettings() {
  const TritonSharedLaunch &settings = launchSettings();
  return {settings.threads, settings.order, settings.seed};
}

void setLaunchSettings(uint32_t threads, int order, uint64_t seed) {
  launchSettings().threads = threads;
  launchSettings().order = static_cast<TritonSharedGridOrder>(order);
  launchSettings().seed = seed;
}

} // namespace

NB_MODULE(_native, module) {
  // Triton keeps kernels in module globals, which outlive this module at exit.
  nb::set_leak_warnings(false);
  module.doc() = "triton-shared's C API; load it through triton_shared.library";
  module.def("version", [] { return toText(tritonSharedVersion()); });
  module.def(
      "phases",
      [](bool forGpu) { return split(tritonSharedListPhases(forGpu)); },
      nb::arg("for_gpu"));
  module.def("target_options",
             [] { return toText(tritonSharedListTargetOptions()); });
  module.def("tensor_cores",
             [] { return toText(tritonSharedListTensorCores()); });
  module.def("compile", &compile, nb::arg("source"), nb::arg("options"));
  module.def("launch_settings", &getLaunchSettings);
  module.def("set_launch_settings", &setLaunchSettings, nb::arg("threads"),
             nb::arg("grid_order"), nb::arg("seed"));

  nb::class_<Compilation>(module, "Compilation")
      .def_prop_ro("succeeded", &Compilation::hasSucceeded)
      .def_prop_ro("diagnostics", &Compilation::getDiagnostics)
      .def_prop_ro("metadata", &Compilation::getMetadata)
      .def_prop_ro("artefacts", &Compilation::getArtefacts)
      .def("artefact", &Compilation::getArtefact, nb::arg("phase"));

  nb::class_<Kernel>(module, "Kernel")
      .def(nb::init<nb::bytes, std::string, bool>(), nb::arg("object"),
           nb::arg("entry"), nb::arg("side_by_side"));

  nb::class_<SignalHandlers>(module, "SignalHandlers")
      .def(nb::init<>())
      .def("restore", &SignalHandlers::restore);

  static PyType_Slot launcherSlots[] = {
      {Py_tp_call, reinterpret_cast<void *>(&callLauncher)}, {0, nullptr}};
  nb::class_<Launcher>(module, "Launcher", nb::type_slots(launcherSlots));
  nb::class_<CpuLauncher, Launcher>(module, "CpuLauncher")
      .def(nb::init<std::string, nb::sequence, nb::object, nb::object,
                    nb::object>(),
           nb::arg("name"), nb::arg("plan"), nb::arg("link"), nb::arg("check"),
           nb::arg("failure"));
  defineCheckedLaunch(module);
  defineCuda(module);
}
