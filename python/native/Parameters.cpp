//===- Parameters.cpp - How arguments become C values ---------------------===//

#include "Parameters.h"

#include "TensorExchange.h"

#include <algorithm>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace triton_shared_python;
using Form = Parameter::Form;

//===----------------------------------------------------------------------===//
// Reading the plan
//===----------------------------------------------------------------------===//

static Parameter parseParameter(nb::handle entry) {
  Parameter parameter;
  auto form = nb::cast<std::string>(entry[0]);
  parameter.name = nb::cast<std::string>(entry[1]);
  if (form == "tuple") {
    parameter.form = Form::Tuple;
    parameter.members = parsePlan(nb::cast<nb::sequence>(entry[2]));
    return parameter;
  }
  parameter.form = form == "skip"      ? Form::Skip
                   : form == "value"   ? Form::Value
                   : form == "pointer" ? Form::Pointer
                   : form == "grid"    ? Form::Grid
                   : form == "later"   ? Form::Later
                                       : Form::Descriptor;
  parameter.index = nb::cast<int>(entry[2]);
  parameter.isUnsigned = nb::cast<bool>(entry[4]);
  parameter.rank = nb::cast<unsigned>(entry[5]);
  parameter.hasShapeAgain = nb::cast<bool>(entry[6]);
  auto word = nb::cast<std::string>(entry[3]);
  if (parameter.form == Form::Skip)
    return parameter;
  std::optional<Kind> kind = parseKind(word);
  if (!kind)
    throw nb::value_error(("unknown kind of argument '" + word + "'").c_str());
  parameter.kind = *kind;
  return parameter;
}

std::vector<Parameter> triton_shared_python::parsePlan(nb::sequence plan) {
  std::vector<Parameter> parameters;
  for (nb::handle entry : plan)
    parameters.push_back(parseParameter(entry));
  return parameters;
}

size_t
triton_shared_python::countValues(const std::vector<Parameter> &parameters) {
  size_t count = 0;
  for (const Parameter &parameter : parameters) {
    switch (parameter.form) {
    case Form::Skip:
      break;
    case Form::Value:
    case Form::Pointer:
    case Form::Grid:
    case Form::Later:
      count += 1;
      break;
    case Form::Tuple:
      count += countValues(parameter.members);
      break;
    case Form::Descriptor:
      count += 3 + (parameter.hasShapeAgain ? 4 : 2) * parameter.rank;
      break;
    }
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Converting
//===----------------------------------------------------------------------===//

namespace {

/// Attribute names, interned once: looking one up is then a pointer comparison.
struct Names {
  PyObject *dataPtr = PyUnicode_InternFromString("data_ptr");
  PyObject *dtype = PyUnicode_InternFromString("dtype");
  PyObject *numel = PyUnicode_InternFromString("numel");
  PyObject *isCpu = PyUnicode_InternFromString("is_cpu");
  PyObject *base = PyUnicode_InternFromString("base");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *padding = PyUnicode_InternFromString("padding");
  PyObject *roundToTf32 = PyUnicode_InternFromString("round_f32_to_tf32");
};

const Names &names() {
  static const Names names;
  return names;
}

/// The attribute, or null without an error.
nb::object getOptional(PyObject *object, PyObject *name) {
  PyObject *value = PyObject_GetAttr(object, name);
  if (!value)
    PyErr_Clear();
  return nb::steal(value);
}

} // namespace

bool ArgumentConverter::convert(const std::vector<Parameter> &parameters,
                                PyObject *const *args, size_t count) {
  size_t wanted = std::count_if(
      parameters.begin(), parameters.end(), [](const Parameter &p) {
        return p.form != Form::Grid && p.form != Form::Later;
      });
  if (count != wanted) {
    PyErr_Format(PyExc_TypeError, "kernel '%s' takes %zu arguments, got %zu",
                 kernel.c_str(), wanted, count);
    return false;
  }
  for (const Parameter &parameter : parameters) {
    if (parameter.form == Form::Grid)
      *next++ = grid[parameter.index];
    else if (parameter.form == Form::Later)
      *next++ = 0;
    else if (!convert(parameter, *args++))
      return false;
  }
  return true;
}

bool ArgumentConverter::convert(const Parameter &parameter, PyObject *arg) {
  switch (parameter.form) {
  case Form::Skip:
    return true;
  case Form::Pointer:
    return convertPointer(parameter, arg);
  case Form::Tuple:
    return convertTuple(parameter, arg);
  case Form::Descriptor:
    return convertDescriptor(parameter, arg);
  case Form::Value:
  case Form::Grid:
  case Form::Later:
    break;
  }
  std::optional<uint64_t> bits =
      convertScalar(arg, parameter.kind, parameter.isUnsigned);
  if (!bits)
    return fail(parameter);
  *next++ = *bits;
  return true;
}

bool ArgumentConverter::convertTuple(const Parameter &parameter,
                                     PyObject *arg) {
  nb::object items = nb::steal(PySequence_Fast(arg, "not a tuple"));
  if (!items.is_valid())
    return fail(parameter);
  size_t count = PySequence_Fast_GET_SIZE(items.ptr());
  if (count == parameter.members.size())
    return convert(parameter.members, PySequence_Fast_ITEMS(items.ptr()),
                   count);
  PyErr_Format(PyExc_TypeError, "a tuple of %zu is needed, got one of %zu",
               parameter.members.size(), count);
  return fail(parameter);
}

bool ArgumentConverter::convertPointer(const Parameter &parameter,
                                       PyObject *arg) {
  bool isAddress = PyLong_Check(arg);
  if (!isAddress && arg != Py_None)
    return convertTensor(parameter, arg);
  return pushAddress(parameter, isAddress ? PyLong_AsUnsignedLongLong(arg) : 0);
}

bool ArgumentConverter::convertTensor(const Parameter &parameter,
                                      PyObject *tensor) {
  std::optional<ExchangedTensor> told = exchangeTensor(tensor);
  bool isThere = told && told->isOn(memory == Memory::Host);
  uint32_t element = isThere ? told->element : 0;
  AcceptedType &known = accepted[parameter.index];
  if (isThere && told->address && element == known.element) {
    *next++ = told->address;
    return true;
  }
  PyObject *self[] = {tensor};
  nb::object pointer = nb::steal(PyObject_VectorcallMethod(
      names().dataPtr, self, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!pointer.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError))
      PyErr_Format(PyExc_TypeError,
                   "a tensor, an address or None is needed, got '%s'",
                   Py_TYPE(tensor)->tp_name);
    return fail(parameter);
  }
  if (!checkTensor(parameter, tensor))
    return false;
  known.element = element;
  uint64_t address = PyLong_AsUnsignedLongLong(pointer.ptr());
  if (!address && !checkIsEmpty(parameter, tensor))
    return false;
  return pushAddress(parameter, address);
}

/// False if an error of Python says why there is no address.
bool ArgumentConverter::pushAddress(const Parameter &parameter,
                                    uint64_t address) {
  if (address == static_cast<uint64_t>(-1) && PyErr_Occurred())
    return fail(parameter);
  *next++ = address;
  return true;
}

/// Only a tensor without elements may lie nowhere: a FakeTensor has elements,
/// but no memory for them.
bool ArgumentConverter::checkIsEmpty(const Parameter &parameter,
                                     PyObject *tensor) {
  PyObject *self[] = {tensor};
  nb::object count = nb::steal(PyObject_VectorcallMethod(
      names().numel, self, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!count.is_valid() || !PyLong_Check(count.ptr())) {
    PyErr_Clear(); // something else that has a `data_ptr`
    return true;
  }
  if (PyObject_IsTrue(count.ptr()) == 0)
    return true;
  PyErr_Format(PyExc_ValueError,
               "a '%s' with %S elements has no memory: pass a real tensor",
               Py_TYPE(tensor)->tp_name, count.ptr());
  return fail(parameter);
}

/// A dtype object met before needs no look: torch makes one per type. `is_cpu`
/// of a tensor that lies elsewhere says the other thing.
bool ArgumentConverter::checkTensor(const Parameter &parameter,
                                    PyObject *tensor) {
  nb::object dtype = getOptional(tensor, names().dtype);
  nb::object isCpu = getOptional(tensor, names().isCpu);
  nb::object &known = accepted[parameter.index].dtype;
  PyObject *elsewhere = memory == Memory::Host ? Py_False : Py_True;
  if (dtype.ptr() == known.ptr() && isCpu.ptr() != elsewhere)
    return true;
  nb::object checked =
      nb::steal(PyObject_CallFunction(check, "iO", parameter.index, tensor));
  if (!checked.is_valid())
    return false;
  known = std::move(dtype);
  return true;
}

bool ArgumentConverter::convertDescriptor(const Parameter &parameter,
                                          PyObject *arg) {
  nb::object base = nb::steal(PyObject_GetAttr(arg, names().base));
  nb::object shape = nb::steal(PyObject_GetAttr(arg, names().shape));
  nb::object strides = nb::steal(PyObject_GetAttr(arg, names().strides));
  if (!base.is_valid() || !shape.is_valid() || !strides.is_valid()) {
    PyErr_Format(PyExc_TypeError, "a TensorDescriptor is needed, got '%s'",
                 Py_TYPE(arg)->tp_name);
    return fail(parameter);
  }
  nb::object rounds = getOptional(arg, names().roundToTf32);
  nb::object padding = getOptional(arg, names().padding);
  bool padsWithNaN = padding.is_valid() && PyUnicode_Check(padding.ptr()) &&
                     !PyUnicode_CompareWithASCIIString(padding.ptr(), "nan");

  if (!convertPointer(parameter, base.ptr()) ||
      !convertSizes(parameter, shape.ptr(), Kind::I64) ||
      !convertSizes(parameter, strides.ptr(), Kind::I64))
    return false;
  *next++ = padsWithNaN;
  *next++ = rounds.is_valid() && rounds.ptr() == Py_True;
  return !parameter.hasShapeAgain ||
         (convertSizes(parameter, shape.ptr(), Kind::I32) &&
          convertSizes(parameter, strides.ptr(), Kind::I64));
}

bool ArgumentConverter::convertSizes(const Parameter &parameter,
                                     PyObject *sizes, Kind kind) {
  nb::object items = nb::steal(PySequence_Fast(sizes, "not a list of sizes"));
  if (!items.is_valid())
    return fail(parameter);
  size_t count = PySequence_Fast_GET_SIZE(items.ptr());
  if (count != parameter.rank) {
    PyErr_Format(PyExc_TypeError, "a descriptor of rank %u is needed, got %zu",
                 parameter.rank, count);
    return fail(parameter);
  }
  for (size_t i = 0; i < count; ++i) {
    std::optional<uint64_t> bits = convertScalar(
        PySequence_Fast_GET_ITEM(items.ptr(), i), kind, /*isUnsigned=*/false);
    if (!bits)
      return fail(parameter);
    *next++ = *bits;
  }
  return true;
}

/// Puts the name of the argument before the pending error's text.
bool ArgumentConverter::fail(const Parameter &parameter) {
  nb::python_error error; // takes the pending error
  PyErr_Format(error.type().ptr(), "argument '%s' of kernel '%s': %S",
               parameter.name.c_str(), kernel.c_str(), error.value().ptr());
  return false;
}
