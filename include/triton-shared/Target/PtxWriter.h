//===- PtxWriter.h - From the LLVM dialect to PTX and cubin -----*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_PTXWRITER_H
#define TRITON_SHARED_TARGET_PTXWRITER_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// For which GPU, and with whose tools.
struct PtxTarget {
  /// Compute capability as in `sm_90a`: "80", "90a".
  std::string arch = "90a";
  /// libdevice.10.bc of a CUDA Toolkit or of Triton's wheel; may be empty for
  /// kernels that call nothing of it.
  std::string libdevice;
  /// The ptxas program.
  std::string ptxas;
  /// No contraction of products and sums.
  bool isPrecise = false;
};

struct PtxCode {
  /// Optimised LLVM IR.
  std::string llvmIr;
  std::string ptx;
};

/// Translates, optimises and writes the kernels of a module in phase `llir`.
/// Nothing if that fails; the module has then said why.
std::optional<PtxCode> writePtx(ModuleOp module, const PtxTarget &target);

/// Assembles PTX. `log` is what ptxas says about registers, spills and
/// warnings. Nothing if it fails; `module` has then said why.
std::optional<std::string> assembleCubin(ModuleOp module, StringRef ptx,
                                         const PtxTarget &target,
                                         std::string &log);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_PTXWRITER_H
