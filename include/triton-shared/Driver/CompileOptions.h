//===- CompileOptions.h - What one compilation is asked for -----*- C++ -*-===//

#ifndef TRITON_SHARED_DRIVER_COMPILEOPTIONS_H
#define TRITON_SHARED_DRIVER_COMPILEOPTIONS_H

#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Target/PtxWriter.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::triton_shared {

/// Artefacts that are no phases: assembly of LLVM IR for a CPU, and reports.
inline constexpr llvm::StringLiteral kAssemblyArtefact = "s";
inline constexpr llvm::StringLiteral kAccessesArtefact = "accesses";
inline constexpr llvm::StringLiteral kChangesArtefact = "changes";
inline constexpr llvm::StringLiteral kCostArtefact = "cost";
inline constexpr llvm::StringLiteral kTimesArtefact = "times";
inline constexpr llvm::StringLiteral kModuleArtefact = "module";
inline constexpr llvm::StringLiteral kOffsetsArtefact = "offsets";
inline constexpr llvm::StringLiteral kPassesArtefact = "passes";
inline constexpr llvm::StringLiteral kPlacesArtefact = "places";
/// No artefact, but a word that keeps something all the same.
inline constexpr llvm::StringLiteral kLines = "lines";

struct CompileOptions {
  /// `cpu` unless it says otherwise.
  CompileTarget target;
  /// For a GPU: where its tools are; empty for where they usually are.
  CudaTools tools;
  /// Nothing if it goes on to the end.
  std::optional<Phase> toPhase;
  /// Code is all that is kept: no text of a phase, and nothing that a launcher
  /// must know, so that what is compiled need not hold a kernel.
  bool keepsCodeOnly = false;
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
  /// Keeps what each pass has done.
  bool keepsPasses = false;
  /// Keeps the text of each phase with the places of its operations.
  bool keepsPlaces = false;
  /// Code says from which lines of the source it comes.
  bool keepsLines = false;
  /// Says how memory is accessed, and compiles nothing.
  bool explainsAccesses = false;
  /// Says what one program computes and moves, and makes no code.
  bool countsCost = false;
  /// Of that program: numbers by the names of parameters, as
  /// Analysis/LaunchCost.h has them.
  llvm::StringMap<int64_t> launch;
  /// Runs these passes on the module, and compiles nothing; empty for none.
  /// They must be registered.
  std::string passes;

  /// The last phase that is wanted.
  Phase getLastPhase() const;
};

/// Reads `word=value` words. Gives what is wrong with them, or nothing.
std::string parseOptions(StringRef text, CompileOptions &options);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_DRIVER_COMPILEOPTIONS_H
