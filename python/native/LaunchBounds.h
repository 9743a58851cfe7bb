//===- LaunchBounds.h - How far a launch comes ------------------*- C++ -*-===//
//
// A kernel may take for granted that its boxes begin where their coordinates
// reach. How far they can begin follows from a launch's arguments and grid.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PYTHON_LAUNCHBOUNDS_H
#define TRITON_SHARED_PYTHON_LAUNCHBOUNDS_H

#include "../../runtime/cuda/tensor_map.h"

#include <nanobind/nanobind.h>
#include <optional>
#include <vector>

namespace triton_shared_python {

class LaunchBounds {
public:
  /// Reads the lists of steps that `cuda.launch_bounds.as_plan` writes.
  explicit LaunchBounds(nanobind::sequence plans);

  /// Whether all bounds are from 0 and below 2^30, and no argument that they
  /// depend on is negative.
  bool hold(void *const *arguments, const uint32_t *grid) const;

private:
  /// Of a machine with a stack.
  struct Step {
    enum class Kind { Constant, Argument, Grid, Add, Multiply, Divide };

    Kind kind;
    /// A constant or an argument.
    TritonSharedMapNumber number = {};
    unsigned axis = 0;
  };
  using Bound = std::vector<Step>;

  static Step parseStep(nanobind::handle step);
  static bool apply(Step::Kind kind, std::vector<int64_t> &stack);
  static std::optional<int64_t>
  compute(const Bound &bound, void *const *arguments, const uint32_t *grid);

  std::vector<Bound> bounds;
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_LAUNCHBOUNDS_H
