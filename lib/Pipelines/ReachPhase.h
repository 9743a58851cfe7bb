//===- ReachPhase.h - Go on to a phase, from wherever one is ----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_PIPELINES_REACHPHASE_H
#define TRITON_SHARED_LIB_PIPELINES_REACHPHASE_H

#include "triton-shared/Pipelines/Phases.h"

namespace mlir {
class Pass;
} // namespace mlir

namespace mlir::triton_shared {

/// Runs what leads from the phase of a module to `phase`, on the way to a CPU;
/// nothing if the module is there already, or further.
std::unique_ptr<Pass> createReachPhase(Phase phase,
                                       const HandOver &handOver = {});

/// Makes the pass known by its name, so that what prints pipelines can be read.
void registerReachPhase();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_PIPELINES_REACHPHASE_H
