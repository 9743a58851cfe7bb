//===- CompileOptions.h - The words of one compilation ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CAPI_COMPILEOPTIONS_H
#define TRITON_SHARED_LIB_CAPI_COMPILEOPTIONS_H

#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Target/PtxWriter.h"

namespace mlir::triton_shared {

/// The last artefact for each target, and what comes before it.
inline constexpr llvm::StringLiteral kObjectPhase = "obj";
inline constexpr llvm::StringLiteral kAssemblyPhase = "s";
inline constexpr llvm::StringLiteral kPtxPhase = "ptx";
inline constexpr llvm::StringLiteral kCubinPhase = "cubin";
inline constexpr llvm::StringLiteral kAccessesArtefact = "accesses";
inline constexpr llvm::StringLiteral kChangesArtefact = "changes";
inline constexpr llvm::StringLiteral kTimesArtefact = "times";

struct CompileOptions {
  /// `cpu` unless it says otherwise.
  CompileTarget target;
  /// For a GPU: where its tools are.
  CudaTools tools;
  /// Nothing if it goes on to code.
  std::optional<Phase> toPhase;
  /// For a GPU: ends with PTX, which needs no ptxas.
  bool stopsAtPtx = false;
  /// For a CPU, from LLVM IR: assembly instead of an object.
  bool wantsAssembly = false;
  /// Empty for no dumps.
  std::string dumpFolder;
  /// The source is LLVM IR, not MLIR.
  bool isLlvmIr = false;
  /// Keeps the module after every pass that has changed it.
  bool keepsChanges = false;
  /// Keeps how long the passes took.
  bool keepsTimes = false;
  /// Says how memory is accessed, and compiles nothing.
  bool explainsAccesses = false;
};

/// Reads `word=value` words. Gives what is wrong with them, or nothing.
std::string parseOptions(StringRef text, CompileOptions &options);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CAPI_COMPILEOPTIONS_H
