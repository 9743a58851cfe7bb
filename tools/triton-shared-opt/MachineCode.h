//===- MachineCode.h - --to-phase=obj, ptx and cubin ------------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H

#include "CrashReport.h"
#include "mlir/IR/DialectRegistry.h"
#include "triton-shared/Pipelines/Phases.h"

namespace mlir::triton_shared {

/// True for the phases that are not MLIR any more.
bool isCode(StringRef phase);

/// Compiles `inputFile` to such a phase and writes it to `outputFile`. What
/// ptxas says about registers goes to the standard error, and what is to be
/// compiled to `crashReport`.
LogicalResult writeCode(StringRef inputFile, StringRef outputFile,
                        StringRef phase, const CompileTarget &target,
                        const DialectRegistry &registry,
                        CrashReport &crashReport);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H
