//===- Launcher.cpp - The launch path -------------------------------------===//

#include "Launcher.h"

#include <array>

namespace nb = nanobind;
using namespace triton_shared_python;

std::string triton_shared_python::takeText(char *text) {
  std::string result = text ? text : "unknown error";
  tritonSharedFree(text);
  return result;
}

static size_t countIndices(const std::vector<Parameter> &parameters) {
  size_t count = 0;
  for (const Parameter &parameter : parameters)
    count += parameter.form == Parameter::Form::Tuple
                 ? countIndices(parameter.members)
                 : 1;
  return count;
}

Launcher::Launcher(std::string name, nb::sequence plan, Memory memory,
                   nb::object link, nb::object check, nb::object failure)
    : name(std::move(name)), parameters(parsePlan(plan)),
      failure(std::move(failure)), valueCount(countValues(parameters)),
      memory(memory), link(std::move(link)), check(std::move(check)),
      accepted(countIndices(parameters)) {}

void Launcher::bind(nb::handle handle) {
  if (function.is(handle))
    return;
  kernel = link(handle);
  function = nb::borrow(handle);
}

static uint32_t convertGrid(const std::string &kernel, nb::handle size) {
  std::optional<uint64_t> value =
      convertScalar(size.ptr(), Kind::I32, /*isUnsigned=*/true);
  if (value)
    return static_cast<uint32_t>(*value);
  nb::python_error error; // takes the pending error
  PyErr_Format(error.type().ptr(), "grid of kernel '%s': %S", kernel.c_str(),
               error.value().ptr());
  nb::raise_python_error();
}

void Launcher::operator()(nb::tuple args) {
  constexpr size_t leading = 9;
  if (args.size() < leading) {
    PyErr_SetString(PyExc_TypeError,
                    "a launch needs grid, stream, function, metadata and "
                    "hooks before the kernel's arguments");
    nb::raise_python_error();
  }
  uint32_t grid[] = {convertGrid(name, args[0]), convertGrid(name, args[1]),
                     convertGrid(name, args[2])};
  nb::object metadata = args[6], enterHook = args[7], exitHook = args[8];
  bind(args[4]);
  if (!enterHook.is_none())
    enterHook(metadata);
  Outcome outcome = run(grid, args[3], &PyTuple_GET_ITEM(args.ptr(), leading),
                        args.size() - leading);
  if (outcome == Outcome::NeedsOtherForm)
    otherForm(*args);
  if (!exitHook.is_none())
    exitHook(metadata);
}

PyObject *triton_shared_python::callLauncher(PyObject *launcher, PyObject *args,
                                             PyObject *keywords) {
  if (keywords && PyDict_GET_SIZE(keywords)) {
    PyErr_SetString(PyExc_TypeError, "a launch takes no keywords");
    return nullptr;
  }
  try {
    (*nb::inst_ptr<Launcher>(launcher))(nb::borrow<nb::tuple>(args));
    Py_RETURN_NONE;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

Outcome Launcher::run(const uint32_t *grid, nb::handle stream,
                      PyObject *const *args, size_t count) {
  std::array<uint64_t, 64> inlineValues;
  std::array<void *, 64> inlinePointers;
  std::vector<uint64_t> manyValues;
  std::vector<void *> manyPointers;
  uint64_t *values = inlineValues.data();
  void **pointers = inlinePointers.data();
  if (valueCount > inlinePointers.size()) {
    manyValues.resize(valueCount);
    manyPointers.resize(valueCount);
    values = manyValues.data();
    pointers = manyPointers.data();
  }

  ArgumentConverter converter(name, memory, check.ptr(), accepted, grid,
                              values);
  if (!converter.convert(parameters, args, count))
    nb::raise_python_error();
  for (size_t i = 0; i < valueCount; ++i)
    pointers[i] = &values[i];
  char *error = nullptr;
  Outcome outcome = launch(kernel, grid, stream, pointers, error);
  if (outcome != Outcome::Failed)
    return outcome;
  std::string reason = takeText(error);
  if (!PyErr_Occurred())
    PyErr_SetString(failure.ptr(), reason.c_str());
  nb::raise_python_error();
}
