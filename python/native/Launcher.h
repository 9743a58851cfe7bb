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

/// Takes over a text of the C API.
std::string takeText(char *text);

/// Of a launch.
enum class Outcome {
  Done,
  Failed,
  /// The kernel takes something for granted that does not hold.
  NeedsOtherForm,
};

/// The part of a launch that is the same on every device.
class Launcher {
public:
  virtual ~Launcher() = default;

  /// Grid x y z, stream, function, packed metadata, launch metadata, enter
  /// hook, exit hook, then the kernel's arguments.
  void operator()(nanobind::tuple args);

protected:
  Launcher(std::string name, nanobind::sequence plan, Memory memory,
           nanobind::object link, nanobind::object check,
           nanobind::object failure);

  /// Runs `kernel`, or queues it, with the values that `arguments` point at;
  /// those of form `Later` it points at what it passes.
  /// Fills `error` with a text of the C API if that fails; an exception of
  /// Python that is pending then is what is raised.
  virtual Outcome launch(nanobind::handle kernel, const uint32_t *grid,
                         nanobind::handle stream, void **arguments,
                         char *&error) = 0;

  std::string name;
  std::vector<Parameter> parameters;
  /// The class of what a failed launch raises.
  nanobind::object failure;
  /// Called with all arguments of a launch that needs another form of the
  /// kernel.
  nanobind::object otherForm;

private:
  /// Asks for the kernel of `function` unless it is the one of the last launch.
  void bind(nanobind::handle function);
  Outcome run(const uint32_t *grid, nanobind::handle stream,
              PyObject *const *args, size_t count);

  size_t valueCount;
  Memory memory;
  nanobind::object link, check;
  /// For each parameter.
  std::vector<AcceptedType> accepted;
  nanobind::object function, kernel;
};

/// What Python calls for `launcher(*args)`: its type's own function, which
/// takes a third of the time that a method would.
PyObject *callLauncher(PyObject *launcher, PyObject *args, PyObject *keywords);

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_LAUNCHER_H
