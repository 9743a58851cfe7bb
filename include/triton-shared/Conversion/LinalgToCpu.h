//===- LinalgToCpu.h - From memory and tensors to CPU code ------*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_LINALGTOCPU_H
#define TRITON_SHARED_CONVERSION_LINALGTOCPU_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
class RewritePatternSet;
} // namespace mlir

namespace mlir::triton_shared {

#define GEN_PASS_DECL_CPUCALLTENSORCORES
#define GEN_PASS_DECL_CPUCOPIESTOLOOPS
#define GEN_PASS_DECL_CPUORDERZEROS
#define GEN_PASS_DECL_CPULOWERMATH
#define GEN_PASS_DECL_CPUWRAPPROGRAMLOOP
#define GEN_PASS_DECL_CPUPLACEBUFFERS
#include "triton-shared/Conversion/Passes.h.inc"

/// Registers how upstream operations are bufferized and deallocated.
void registerLinalgToCpuExternalModels(DialectRegistry &registry);

/// The patterns of `cpu-expand-math`.
void populateCpuExpandMath(RewritePatternSet &patterns, bool hasScale);

/// On an `scf.if` of scalars whose `then` region is right whatever the
/// condition is: several lanes take it as soon as one of them has to.
inline constexpr StringRef kForAnyLane = "tts.for_any_lane";

/// What follows the name of a kernel in the name of its entry.
inline constexpr StringRef kEntrySuffix = ".entry";

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_LINALGTOCPU_H
