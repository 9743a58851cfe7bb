//===- PhaseFlags.cpp - The command line's words for phases ---------------===//

#include "PhaseFlags.h"

#include "MachineCode.h"
#include "triton-shared/Pipelines/Phases.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

std::string triton_shared::listLastPhases() {
  return (listPhases() + ", obj, ptx, cubin").str();
}

std::optional<CompileTarget> PhaseFlags::findTarget() {
  bool isForGpu = toPhase == "cta" || toPhase == "gpu" ||
                  (isCode(toPhase) && toPhase != "obj");
  if (targetName.empty())
    targetName = isForGpu ? "cuda:90a" : "cpu";
  std::string problem;
  std::optional<CompileTarget> target = parseTarget(targetName, problem);
  std::optional<Phase> inMlir = symbolizePhase(toPhase);
  if (!inMlir && !isCode(toPhase))
    problem = "unknown phase '" + toPhase + "'; use one of " + listLastPhases();
  else if (target && !(inMlir ? isReachable(Phase::Source, *inMlir, *target)
                              : target->isGpu() == isForGpu))
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
