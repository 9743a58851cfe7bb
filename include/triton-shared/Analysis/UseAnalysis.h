//===- UseAnalysis.h - What the values of a function are for ----*- C++ -*-===//
//
// Integers that only say where to access memory need not exist once accesses
// are structured; those that are also data must. Backwards from the operations
// with effects, through loops and branches.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_USEANALYSIS_H
#define TRITON_SHARED_ANALYSIS_USEANALYSIS_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace mlir::triton_shared {

enum class Use {
  None = 0,  ///< Nothing depends on the value.
  Meta = 1,  ///< It helps to say which elements of memory are accessed.
  Data = 2,  ///< It is stored, returned, or decides where control goes.
  Mixed = 3, ///< Both.
};

class UseAnalysis {
public:
  explicit UseAnalysis(Operation *function);

  Use getUse(Value value) const;

private:
  DataFlowSolver solver;
  bool isSolved = false;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_USEANALYSIS_H
