//===- Warpgroups.cpp - Who may use products of four warps ----------------===//

#include "Warpgroups.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// True if `function` becomes one with calls. Checks of the compiler's own end
/// a kernel without one.
static bool calls(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    bool isCall = isa<tts::PrintOp>(op) ||
                  (isa<tts::AssertOp>(op) && !op->hasAttr(tts::kOwnCheck));
    return isCall ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool triton_shared::mayUseWarpgroups(func::FuncOp function) {
  return cta::getTarget(function).hasWgmma() &&
         cta::getNumWarps(function).value_or(1) % GpuTarget::kWarpgroupWarps ==
             0 &&
         !calls(function);
}
