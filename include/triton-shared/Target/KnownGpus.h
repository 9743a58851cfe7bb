//===- KnownGpus.h - The GPUs that code can be made for ---------*- C++ -*-===//
//
// LLVM's own table of processors is the list: what stands there compiles.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TARGET_KNOWNGPUS_H
#define TRITON_SHARED_TARGET_KNOWNGPUS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::triton_shared {

/// True for an architecture, such as `90a`, that LLVM knows and that is not
/// older than GpuTarget::getOldest.
bool isKnownGpu(llvm::StringRef arch);

/// All of these, the oldest first.
llvm::ArrayRef<llvm::StringRef> getKnownGpus();

/// All of them as targets, `cuda:80, cuda:86, …`, the oldest first.
std::string listGpus();

/// Makes LLVM's back end for GPUs known; again, it does nothing.
void initializeGpuBackEnd();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_KNOWNGPUS_H
