//===- PhaseFlags.h - The command line's words for phases -------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_PHASEFLAGS_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_PHASEFLAGS_H

#include "CrashReport.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Target/TargetFlags.h"

namespace mlir::triton_shared {

/// Lives while the command line is parsed and followed.
class PhaseFlags {
public:
  /// The target that was asked for, or else the usual one for --to-phase, with
  /// all its options; its name is then in `targetName`. What does not exist or
  /// does not fit is said on the error output, and gives nothing.
  std::optional<CompileTarget> findTarget();

private:
  // `--help` sorts categories by name: this one is read first.
  llvm::cl::OptionCategory category{"A kernel through its phases"};
  std::string toPhaseHelp =
      "run everything from the phase of the input up to this one: " +
      listPhases();

public:
  llvm::cl::opt<std::string> toPhase{"to-phase", llvm::cl::value_desc("phase"),
                                     llvm::cl::cat(category),
                                     llvm::cl::desc(toPhaseHelp)};
  llvm::cl::opt<std::string> dumpFolder{
      "dump-phases-to", llvm::cl::value_desc("folder"), llvm::cl::cat(category),
      llvm::cl::desc("with --to-phase: write each phase to "
                     "<folder>/<number>.<phase>.mlir")};
  llvm::cl::opt<std::string> targetName{
      "target", llvm::cl::value_desc("cpu|cpu:znver4|cuda:90a"),
      llvm::cl::cat(category),
      llvm::cl::desc("with --to-phase: what code is made for (default: cpu, or "
                     "cuda:90a for the phases of a GPU)")};
#define TARGET_OPTION(type, member, name, default, help)                       \
  llvm::cl::opt<type> member{name, llvm::cl::cat(category),                    \
                             llvm::cl::desc(help), llvm::cl::init(default),    \
                             TargetOptionValues<type>()};
#include "triton-shared/Target/TargetOptions.def"
  llvm::cl::opt<bool> printPipeline{
      "print-pipeline", llvm::cl::cat(category),
      llvm::cl::desc("print the passes that lead from each phase to the next, "
                     "for --target and up to --to-phase (default: llir)")};
  llvm::cl::opt<bool> noCrashReport{
      kNoCrashReport, llvm::cl::cat(category),
      llvm::cl::desc("crash in this process, without a reproducer: for "
                     "debuggers")};
  llvm::cl::opt<triton::TextVintage> vintage{
      "tt-vintage", llvm::cl::cat(category),
      llvm::cl::desc("print `tt` as this version of Triton does (default: as "
                     "the input)"),
      llvm::cl::values(
          clEnumValN(triton::TextVintage::Before38, "3.6", "Triton 3.5 to 3.7"),
          clEnumValN(triton::TextVintage::From38, "3.9",
                     "Triton 3.8 and 3.9"))};
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_OPT_PHASEFLAGS_H
