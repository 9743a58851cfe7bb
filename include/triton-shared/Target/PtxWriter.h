//===- PtxWriter.h - From the LLVM dialect to PTX and cubin -----*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_PTXWRITER_H
#define TRITON_SHARED_TARGET_PTXWRITER_H

#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Target/CompileTarget.h"
#include "triton-shared/Target/IrLines.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// NVIDIA's tools (see CudaToolkit.h).
struct CudaTools {
  /// libdevice.10.bc of a CUDA Toolkit or of Triton's wheel; may be empty for
  /// kernels that call nothing of it.
  std::string libdevice;
  /// The ptxas program.
  std::string ptxas;
};

struct PtxCode {
  /// Optimised LLVM IR.
  std::string llvmIr;
  /// Which of its lines come from which places, if the module says so.
  std::vector<IrLine> llvmIrLines;
  std::string ptx;
};

/// Translates, optimises and writes the kernels of a module in phase `llir`.
/// Nothing if that fails; the module has then said why.
std::optional<PtxCode> writePtx(ModuleOp module, const CompileTarget &target,
                                const CudaTools &tools);

/// Assembles PTX. `log` is what ptxas says about registers, spills and
/// warnings. Nothing if it fails; `module` has then said why.
///
/// A limit of registers in `ptx` that the target does not ask for is a wish:
/// `ptx` loses it where ptxas spills with it, and without it does not.
std::optional<std::string> assembleCubin(ModuleOp module, std::string &ptx,
                                         const CompileTarget &target,
                                         const CudaTools &tools,
                                         std::string &log);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_PTXWRITER_H
