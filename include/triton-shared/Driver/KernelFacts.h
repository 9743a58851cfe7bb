//===- KernelFacts.h - What a launcher must know ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_DRIVER_KERNELFACTS_H
#define TRITON_SHARED_DRIVER_KERNELFACTS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Target/CompileTarget.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// The kernel of a module in phase `linalg` or later: the function that is not
/// its own entry; from phase `gpu` on, the one of the GPU's module. Null if
/// there is none.
FunctionOpInterface findKernel(ModuleOp module);

/// Its name, its entry, and the words for its parameters.
llvm::json::Object describeKernel(FunctionOpInterface kernel,
                                  const CompileTarget &target);

/// Adds what a launch passes behind the arguments of `kernel`. Adds nothing in
/// a phase that is too early to tell.
void describeHidden(FunctionOpInterface kernel, llvm::json::Object &facts);

/// Adds what is known once shared memory is allocated: how much there is of it,
/// and what a block of the GPU is. Adds nothing before.
void describeBlock(FunctionOpInterface kernel, const CompileTarget &target,
                   llvm::json::Object &facts);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_DRIVER_KERNELFACTS_H
