//===- MachineCode.h - --to-phase=obj, ptx and cubin ------------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H

#include "CrashReport.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "triton-shared/Pipelines/Phases.h"

namespace mlir::triton_shared {

/// Compiles `inputFile` to `phase`, which is code, and writes it to
/// `outputFile`. The passes of `config` lead to phase `llir`. What ptxas says
/// about registers goes to the standard error, and what is to be compiled to
/// `crashReport`.
LogicalResult writeCode(StringRef inputFile, StringRef outputFile, Phase phase,
                        const CompileTarget &target,
                        const DialectRegistry &registry,
                        const MlirOptMainConfig &config,
                        CrashReport &crashReport);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_MACHINECODE_H
