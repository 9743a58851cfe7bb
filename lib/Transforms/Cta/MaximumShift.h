//===- MaximumShift.h - What becomes of values with another maximum -------===//
//
// A softmax that goes over its row in blocks carries the largest score so far,
// and what it has summed up relative to that: e^(score - maximum). Any other
// number in the place of the maximum gives the same result, if all that is
// carried and all that follows are relative to it. This analysis says whether.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_MAXIMUMSHIFT_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_MAXIMUMSHIFT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

#include <map>

namespace mlir::triton_shared {

/// What becomes of a tile if maxima are larger by some amount d for each row:
/// it is the same, larger by a multiple of d, or multiplied by two to a
/// multiple of d.
struct Shift {
  enum class Kind { Same, Added, Scaled };
  /// The maximum that a loop begins a turn with, or ends it with.
  struct Variable {
    Operation *loop;
    bool isNew;
    bool operator<(const Variable &other) const {
      return std::pair(loop, isNew) < std::pair(other.loop, other.isNew);
    }
  };
  /// A number, times one that is known when the kernel runs if it is not null.
  struct Factor {
    double number = 1;
    Value scalar;
  };

  Kind kind = Kind::Same;
  /// How many times each d.
  std::map<Variable, Factor> terms;
  /// The dimension along which rows lie one behind another.
  int64_t rows = 0;

  bool isSame() const { return kind == Kind::Same; }
};

/// A loop that carries a maximum and sums relative to it.
struct OnlineSoftmax {
  scf::ForOp loop;
  /// The maximum of all turns before, and of this one, too.
  BlockArgument before;
  Value maximum;
  /// e^(before - maximum), or two to the power of that.
  Operation *power;
  /// What was summed up before, times that.
  SmallVector<arith::MulFOp> products;
};

/// Finds the loops of `function` whose maximum may be any number that is not
/// much smaller. If anything depends on one otherwise, there are none.
SmallVector<OnlineSoftmax> findOnlineSoftmaxes(Operation *function);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_MAXIMUMSHIFT_H
