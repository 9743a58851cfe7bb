//===- AccessWidth.h - How many elements one thread may move ----*- C++ -*-===//
//
// A GPU moves up to 16 bytes per thread and instruction, if they are neighbours
// and the address is a multiple of their size.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_ACCESSWIDTH_H
#define TRITON_SHARED_ANALYSIS_ACCESSWIDTH_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Operation.h"

namespace mlir::tts {
class AccessOpInterface;
} // namespace mlir::tts

namespace mlir::triton_shared {

/// The way in which an access walks memory.
struct AccessWidth {
  /// The dimensions of the block, the one with the nearest neighbours first.
  SmallVector<unsigned> order;
  /// Neighbours along `order[0]` lie side by side.
  bool isContiguous = false;
  /// Neighbours along `order[0]` that one instruction may move; a power of two.
  /// One if nothing is known.
  unsigned elements = 1;
  /// So many of them either all take part in the access or none does, as far as
  /// its bounds decide; a power of two.
  unsigned uniform = 1;

  /// Neighbours along `order[0]` are one element of memory, in groups of
  /// `elements`.
  bool isOnePlace = false;

  /// Of no such group all elements take part: each moves on its own.
  bool isNeverWhole = false;

  /// All that one instruction may move takes part, or nothing of it does.
  bool isUniform() const { return uniform == elements; }
};

/// Describes the access of a block; `solver` has run `DivisibilityAnalysis`.
AccessWidth describeAccessWidth(const DataFlowSolver &solver,
                                tts::AccessOpInterface access);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_ACCESSWIDTH_H
