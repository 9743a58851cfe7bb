//===- CompileTarget.h - What code is made for ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_COMPILETARGET_H
#define TRITON_SHARED_TARGET_COMPILETARGET_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// How code for a CPU is made.
enum class CpuMode {
  Reference, ///< Plain loops in program order: the oracle for everything else.
  Fast,      ///< Vectors, tiles in registers, functions as polynomials.
};

class CpuTarget;

struct CompileTarget {
  /// On a CPU, how code is made.
  CpuMode cpuMode = CpuMode::Reference;
  /// Which CPU, as CpuTarget::get takes it.
  std::string cpuName = "host", cpuFeatures;
  /// Compute capability of an NVIDIA GPU as in `sm_90a`; empty for the CPU.
  std::string cudaArch;
  /// Warps that run one program of a GPU.
  unsigned numWarps = 4;
  /// On a GPU, how many turns' loads of a loop are in shared memory at once.
  unsigned numStages = 3;
  /// On a GPU, no approximate functions and no contraction.
  bool isPrecise = false;
  /// On a GPU, a product and a sum may become one operation, rounded once.
  bool fusesMultiplyAdd = true;
  /// On a GPU, functions of libdevice take denormal f32 numbers for zero.
  bool flushesDenormals = false;
  /// On a GPU, the registers that a thread may have; 0 for as many as it likes.
  unsigned maxRegisters = 0;
  /// On a GPU, the version of PTX, 86 for 8.6; 0 for the one that suits.
  unsigned ptxVersion = 0;

  /// On a GPU, take `numWarps` as it is, and a block for each program.
  bool keepsWarps = false;

  /// The CPU, which is known.
  CpuTarget getCpu() const;
  bool isGpu() const { return !cudaArch.empty(); }
  /// Compute capability as a number: 90.
  unsigned getCapability() const;
  /// The shared memory that one program of a GPU can have, in bytes.
  int64_t getSharedBytes() const;
};

/// Reads `cpu` (this machine's), `cpu:znver4,-avx512bf16` (any that LLVM knows,
/// and how it differs) or `cuda:90a`; nothing if it is neither, and `problem`
/// then says why and what there is.
std::optional<CompileTarget> parseTarget(llvm::StringRef text,
                                         std::string &problem);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_COMPILETARGET_H
