//===- GpuTarget.h - The GPUs that code can be made for ---------*- C++ -*-===//
//
// LLVM's own table of processors is the list: what stands there compiles.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TARGET_GPUTARGET_H
#define TRITON_SHARED_TARGET_GPUTARGET_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::triton_shared {

/// The compute capability of an architecture such as `90a`, as a number: 90;
/// zero if it is none.
unsigned getCapability(llvm::StringRef arch);

/// True for an architecture that LLVM knows and that has the tensor cores and
/// copies that are used.
bool isKnownGpu(llvm::StringRef arch);

/// All of them as targets, `cuda:80, cuda:86, …`, the oldest first.
std::string listGpus();

/// Makes LLVM's back end for GPUs known; again, it does nothing.
void initializeGpuBackEnd();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_GPUTARGET_H
