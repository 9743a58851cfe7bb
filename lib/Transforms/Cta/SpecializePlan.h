//===- SpecializePlan.h - What a warp can copy for the others ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_SPECIALIZEPLAN_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_SPECIALIZEPLAN_H

#include "AheadLoads.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include <vector>

namespace mlir::triton_shared {

/// A loop whose operands are copied.
struct BoxLoop {
  scf::ForOp loop;
  SmallVector<AheadLoad> loads;
  /// The product that goes on while the next turn begins, if any.
  cta::DotOp lasting;
};

/// Loops that share rings.
struct RingPlan {
  std::vector<BoxLoop> loops;
  int64_t slots;
  /// For each load of a loop, which of the others it is waited for with, by
  /// number: products of a group wait for no other.
  SmallVector<unsigned> groups;
};

/// What becomes of a program: nothing if it has no rings.
struct ProgramPlan {
  std::vector<RingPlan> rings;
  /// Stores that go through a ring of their own.
  SmallVector<tts::StoreOp> inParts;
  /// No second block has room beside this one.
  bool isAlone = false;
  /// A second block would have if no warp copied for the others.
  bool isPair = false;
};

/// What can be done to `function`. `solver` has run `DivisibilityAnalysis`;
/// rings have `numStages` slots at most; with `always`, wherever it is
/// possible.
ProgramPlan planSpecialization(func::FuncOp function,
                               const DataFlowSolver &solver, unsigned numStages,
                               bool always);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_SPECIALIZEPLAN_H
