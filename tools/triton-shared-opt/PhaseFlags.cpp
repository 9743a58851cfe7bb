//===- PhaseFlags.cpp - The command line's words for phases ---------------===//

#include "PhaseFlags.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

std::optional<CompileTarget> PhaseFlags::findTarget() {
  std::optional<Phase> last = symbolizePhase(toPhase);
  bool isForGpu = last && !isReachable(Phase::Source, *last, CompileTarget());
  if (targetName.empty())
    targetName = isForGpu ? "cuda:90a" : "cpu";
  std::string problem;
  std::optional<CompileTarget> target = parseTarget(targetName, problem);
  if (!last)
    problem = "unknown phase '" + toPhase + "'; use one of " + listPhases();
  else if (target && !isReachable(Phase::Source, *last, *target))
    problem = "phase '" + toPhase + "' is not on the way to '" + targetName +
              "', which is " + listWay(*target) + "; use " +
              (isForGpu ? "--target=cuda:90a" : "--target=cpu");
  if (!problem.empty()) {
    llvm::errs() << "triton-shared-opt: " << problem << "\n";
    return std::nullopt;
  }
#define TARGET_OPTION(type, member, name, default, help)                       \
  target->member = member;
#include "triton-shared/Target/TargetOptions.def"
  return target;
}
