//===- CompileTarget.h - What code is made for ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_COMPILETARGET_H
#define TRITON_SHARED_TARGET_COMPILETARGET_H

#include "triton-shared/Target/GpuTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// How code for a CPU is made.
enum class CpuMode {
  Reference, ///< Plain loops in program order: the oracle for everything else.
  Fast,      ///< Vectors, tiles in registers, functions as polynomials.
};

/// Which loops get a warp that copies for those that compute.
enum class SpecializeWarps {
  Auto,   ///< Where it is expected to be faster, or the kernel asks for it.
  Always, ///< Wherever it is possible.
  Never,
};

/// When the maximum of a softmax that goes on block by block is raised.
enum class OnlineSoftmaxMode {
  Exact,       ///< Whenever it grows.
  Deferred,    ///< When it has grown by 2^8.
  Speculative, ///< When powers have turned out to be too large.
};

/// What is known, where code is made, about tensor maps of what loops read by
/// pointers.
enum class PointerMaps {
  Guarded, ///< Nothing: the kernel asks which ones there are.
  Assumed, ///< Where nothing else is asked for, the launch has all of them.
  Never,   ///< There are none.
};

class CpuTarget;

struct CompileTarget {
  /// Which CPU, as CpuTarget::get takes it.
  std::string cpuName = "host", cpuFeatures;
  /// Compute capability of an NVIDIA GPU as in `sm_90a`; empty for the CPU.
  std::string cudaArch;

#define TARGET_OPTION(type, member, name, default, help) type member = default;
#include "triton-shared/Target/TargetOptions.def"

  /// The CPU, which is known.
  CpuTarget getCpu() const;
  bool isGpu() const { return !cudaArch.empty(); }
  /// The GPU whose matrix products a CPU computes bit by bit, as in `sm_90a`
  /// without `sm_`; empty if it computes its own.
  llvm::StringRef getDotGpu() const;
  /// The GPU, if it is one.
  GpuTarget getGpu() const { return GpuTarget(cudaArch); }
};

/// Sets the option that TargetOptions.def calls `name`. Gives which values it
/// knows if `value` is none of them, or else an empty string; nothing if there
/// is no such option.
std::optional<std::string> setTargetOption(CompileTarget &target,
                                           llvm::StringRef name,
                                           llvm::StringRef value);

/// What TargetOptions.def says about an option.
struct TargetOption {
  llvm::StringRef name;
  bool isForGpu;
  /// What it is unless somebody sets it, as setTargetOption reads it.
  std::string standard;
  /// What it may be, in words.
  std::string values;
  llvm::StringRef help;
};

/// All options of a target.
llvm::ArrayRef<TargetOption> getTargetOptions();

/// Reads `cpu` (this machine's), `cpu:znver4,-avx512bf16` (any that LLVM knows,
/// and how it differs) or `cuda:90a`; nothing if it is neither, and `problem`
/// then says why and what there is.
std::optional<CompileTarget> parseTarget(llvm::StringRef text,
                                         std::string &problem);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_COMPILETARGET_H
