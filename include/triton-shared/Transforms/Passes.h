//===- Passes.h - Registration of the passes of Transforms --*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_PASSES_H
#define TRITON_SHARED_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "llvm/Support/CommandLine.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::triton_shared {

/// Adds the rewrites of `triton-combine`, without its unrolling of loops.
void populateTritonCombine(RewritePatternSet &patterns);

/// Adds those of them that follow from masks: blocks that are loaded again
/// behind a mask, and choices that have been made before.
void populateMaskedValues(RewritePatternSet &patterns);

/// The formats of `triton-explain-accesses`, as the command line spells them.
inline llvm::cl::ValuesClass getAccessFormats() {
  return {clEnumValN(AccessFormat::Remarks, "remarks",
                     "diagnostics at the lines of the kernel"),
          clEnumValN(AccessFormat::Counts, "counts", "one line per kernel"),
          clEnumValN(AccessFormat::Json, "json", "one object per access")};
}

#define GEN_PASS_DECL
#include "triton-shared/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "triton-shared/Transforms/Passes.h.inc"

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_PASSES_H
