//===- RunToPhase.h - The pass behind --to-phase ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_RUNTOPHASE_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_RUNTOPHASE_H

#include "triton-shared/Pipelines/Phases.h"

namespace mlir::triton_shared {

/// A pass that finds the phase of its input and runs the passes of the phases
/// from there to `phase`; with a folder, it writes each phase there. `target`
/// is what parseTarget makes of `targetName`, and what other options add.
std::unique_ptr<Pass> createRunToPhase(Phase phase, StringRef targetName,
                                       const CompileTarget &target,
                                       StringRef dumpFolder);

/// Makes it known by its name, so that MLIR's reproducers can be run.
void registerRunToPhase();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_RUNTOPHASE_H
