//===- LaunchBound.h - How far programs of a launch come --------*- C++ -*-===//
//
// Where a box begins depends on the program and on the turn of a loop. A launch
// knows the most that it can be from its arguments and the size of its grid.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_LAUNCHBOUND_H
#define TRITON_SHARED_ANALYSIS_LAUNCHBOUND_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/LoopForms.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {

/// Bounds of numbers of one function. Their symbols are the parameters that the
/// kernel's author wrote, in order, and then the sizes of the grid along x, y
/// and z.
class LaunchBounds {
public:
  explicit LaunchBounds(FunctionOpInterface function) : function(function) {}

  /// Adds what `start` is at most, in all turns of `loop` and in all programs;
  /// `values` are what its symbols stand for. False if no launch knows that, or
  /// if `start` may be negative.
  bool add(const LinearForm &start, scf::ForOp loop,
           const DenseMap<AffineExpr, Value> &values);

  bool isEmpty() const { return bounds.empty(); }

  /// They hold in a launch in which none of them and of their symbols is
  /// negative.
  AffineMap getMap();

private:
  FunctionOpInterface function;
  llvm::SetVector<AffineExpr> bounds;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_LAUNCHBOUND_H
