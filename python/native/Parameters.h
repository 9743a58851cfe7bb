//===- Parameters.h - How arguments become C values -------------*- C++ -*-===//
//
// A kernel's plan: one parameter per Python argument, each saying how many C
// values the argument becomes and how. Written by launcher.py, followed here on
// every launch.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_PARAMETERS_H
#define TRITON_SHARED_PYTHON_PARAMETERS_H

#include "Scalars.h"

#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace triton_shared_python {

struct Parameter {
  /// A constexpr becomes nothing, a value or a pointer one C value, a tuple the
  /// values of its members, a descriptor its pointer, shape and strides. A size
  /// of the grid is one C value, for which there is no argument; neither is
  /// there one for what the launcher fills in later.
  enum class Form { Skip, Value, Pointer, Tuple, Descriptor, Grid, Later };

  Form form;
  std::string name;
  /// Which of the kernel's parameters, tuples flattened, this is; which axis of
  /// the grid.
  int index = 0;
  Kind kind = Kind::Pointer;
  bool isUnsigned = false;
  unsigned rank = 0;
  /// Whether shape (i32) and strides (i64) follow a descriptor once more.
  bool hasShapeAgain = false;
  std::vector<Parameter> members;
};

/// Where the memory of tensors must lie.
enum class Memory { Host, Device };

/// What `check` has accepted last for a parameter: the object `tensor.dtype`,
/// and `ExchangedTensor::element` of one that lay where it must; 0 for none.
struct AcceptedType {
  nanobind::object dtype;
  uint32_t element = 0;
};

/// Reads the tuples that `launcher.Parameter.as_plan` writes.
std::vector<Parameter> parsePlan(nanobind::sequence plan);

/// The number of C values that `parameters` become.
size_t countValues(const std::vector<Parameter> &parameters);

/// Converts the arguments of one launch. All errors are Python's, with the name
/// of the argument.
class ArgumentConverter {
public:
  /// `check(index, tensor)` is asked about a tensor whose type is not the one
  /// that `accepted[index]` remembers, or that does not lie in `memory`.
  ArgumentConverter(const std::string &kernel, Memory memory, PyObject *check,
                    std::vector<AcceptedType> &accepted, const uint32_t *grid,
                    uint64_t *values)
      : kernel(kernel), memory(memory), check(check), accepted(accepted),
        grid(grid), next(values) {}

  /// Returns false with a Python error set.
  bool convert(const std::vector<Parameter> &parameters, PyObject *const *args,
               size_t count);

private:
  bool convert(const Parameter &parameter, PyObject *arg);
  bool convertTuple(const Parameter &parameter, PyObject *arg);
  bool convertPointer(const Parameter &parameter, PyObject *arg);
  bool convertTensor(const Parameter &parameter, PyObject *tensor);
  bool pushAddress(const Parameter &parameter, uint64_t address);
  bool convertDescriptor(const Parameter &parameter, PyObject *arg);
  bool convertSizes(const Parameter &parameter, PyObject *sizes, Kind kind);
  bool checkIsEmpty(const Parameter &parameter, PyObject *tensor);
  bool checkTensor(const Parameter &parameter, PyObject *tensor);
  bool fail(const Parameter &parameter);

  const std::string &kernel;
  Memory memory;
  PyObject *check;
  std::vector<AcceptedType> &accepted;
  const uint32_t *grid;
  uint64_t *next;
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_PARAMETERS_H
