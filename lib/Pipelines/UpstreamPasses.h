//===- UpstreamPasses.h - Passes of MLIR that phases are made of *- C++ -*-===//

#ifndef TRITON_SHARED_LIB_PIPELINES_UPSTREAMPASSES_H
#define TRITON_SHARED_LIB_PIPELINES_UPSTREAMPASSES_H

namespace mlir::triton_shared {

/// Makes the passes of MLIR that lead from phase to phase known by their names.
void registerUpstreamPasses();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_PIPELINES_UPSTREAMPASSES_H
