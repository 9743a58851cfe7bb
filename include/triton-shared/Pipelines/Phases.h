//===- Phases.h - The named levels of the compiler --------------*- C++ -*-===//
//
// One word per phase, the same in options, dumps, `kernel.asm` and the docs. A
// phase is reached by a list of passes from the one before it, and ends with
// the check of its contract.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_PIPELINES_PHASES_H
#define TRITON_SHARED_PIPELINES_PHASES_H

#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Target/CompileTarget.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
class PassManager;
} // namespace mlir

namespace mlir::triton_shared {

/// The ways to a CPU and to a GPU part after `Linalg` and have their last phase
/// in MLIR in common. What comes behind that is code, which
/// Target/ObjectWriter.h and Target/PtxWriter.h make.
enum class Phase {
  Source,     ///< As read: nothing has run.
  Ttir,       ///< `tt` after inlining and clean-up.
  Structured, ///< Accesses are `tts` operations.
  Linalg,     ///< Computation is linalg on tensors.
  MemRef,     ///< CPU: upstream dialects only; the documented signature.
  Cta,        ///< GPU: tiles with layouts.
  Gpu,        ///< GPU: what each thread does.
  Llir,       ///< The LLVM dialect.
  Object,     ///< CPU: an object file.
  Ptx,        ///< GPU: assembly for ptxas.
  Cubin,      ///< GPU: machine code.
};

StringRef stringifyPhase(Phase phase);
/// Any phase but the source, which has no word.
std::optional<Phase> symbolizePhase(StringRef name);

/// True for the phases that are not MLIR any more.
bool isCode(Phase phase);

/// The phases one may stop at, in words.
std::string listPhases();

/// The phases from the source to code for `target`, by name.
SmallVector<StringRef> getWay(const CompileTarget &target);

/// The same in words.
std::string listWay(const CompileTarget &target);

/// The phase after `phase` on the way to `target`; nothing after the last, and
/// for phases that are not on that way.
std::optional<Phase> getNextPhase(Phase phase, const CompileTarget &target);

/// True if the way from `from` to `target` passes through `to`.
bool isReachable(Phase from, Phase to, const CompileTarget &target);

/// What is wrong where isReachable says no, as the end of a sentence about a
/// module in phase `from`.
std::string describeMissingWay(Phase from, Phase to,
                               const CompileTarget &target);

/// The earliest phase whose contract `module` fulfils, so that a dump of any
/// phase can be read again and continued.
Phase detectPhase(ModuleOp module);

/// What somebody may want otherwise who takes over from a phase; the ways to
/// code need all of it as it is here. See the passes of these options.
struct HandOver {
  /// False: every access of a block is a gather or a scatter.
  bool recoversAccesses = true;
  /// Of `structured-recover-accesses`.
  bool findsWraps = true, gathersDimensions = true;
  /// Of `triton-tensors-to-linalg`.
  bool keepsProgramIds = false, keepsFunctions = false, assertsToCf = false;

  /// False if phase `linalg` then holds what its contract excludes.
  bool keepsContracts() const {
    return !keepsProgramIds && !keepsFunctions && !assertsToCf;
  }
};

/// Adds the passes that lead from the phase before `phase`, which is MLIR, to
/// it, with the contract check at the end.
void buildPhase(OpPassManager &manager, Phase phase,
                const CompileTarget &target = {},
                const HandOver &handOver = {});

/// Goes from the phase in which `module` is up to `last`, which is MLIR: `step`
/// runs the passes of one phase after the other.
LogicalResult followPhases(ModuleOp module, Phase last,
                           const CompileTarget &target,
                           function_ref<LogicalResult(Phase)> step);

/// Called with every phase that has been reached.
using PhaseCallback = function_ref<LogicalResult(Phase, ModuleOp)>;

/// Runs everything from the phase in which `module` is up to `last`; verifies
/// the module at the end of each phase, not after each pass.
/// `configure` may set up the pass managers of each phase (timing, printing).
/// Once a long kernel for a CPU is in pieces, passes see a few of them at a
/// time, unless somebody looks at modules between passes (`keepsWhole`).
LogicalResult
runToPhase(ModuleOp module, Phase last, const CompileTarget &target = {},
           PhaseCallback reached = nullptr,
           function_ref<LogicalResult(PassManager &)> configure = nullptr,
           bool keepsWhole = false);

/// Writes `<folder>/<NN>.<phase>.mlir`; fails with an error if that cannot be.
LogicalResult dumpPhase(StringRef folder, Phase phase, ModuleOp module);

/// The pass of triton-shared-opt that runs the passes of phases.
inline constexpr llvm::StringLiteral kRunToPhase = "run-to-phase";

/// Has `manager` print the module after every pass that has changed it; with
/// `kernel`, only modules that have a function of that name.
void printChanges(PassManager &manager, raw_ostream &stream,
                  StringRef kernel = "");

/// Has `manager` print how long its passes took, once it is done.
void printTimes(PassManager &manager, raw_ostream &stream);

/// Prints for each phase from `from` to `to` a comment with its name, and the
/// pipeline that leads to it as `--pass-pipeline` reads it.
void printPipelines(Phase from, Phase to, const CompileTarget &target,
                    raw_ostream &stream);

/// Adds the passes from the source to accesses that can be explained: they are
/// `tts` operations, and their offsets still have the names of the kernel.
void buildExplainableAccesses(OpPassManager &manager);

/// Makes `explain-accesses` available as a pass pipeline.
void registerExplainAccessesPipeline();

/// Makes `triton-to-linalg` and the flags of other triton-shareds available as
/// pass pipelines (docs/migrating.md).
void registerTritonToLinalgPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_PHASES_H
