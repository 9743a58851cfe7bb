//===- PackPrograms.cpp - Several small programs in one block -------------===//
//
// A GPU starts blocks one after the other, and a multiprocessor holds half as
// many as it holds warps. So programs of one warp that are over in no time go
// several to a block. They share nothing: each is a warp of its own.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "LayoutRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAPACKPROGRAMS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Programs of a block. Measured on an H200: more are not faster, and leave
/// more of the last block empty.
constexpr int64_t kPrograms = 4;
/// The largest block of a program, in bytes, for which starting it counts.
constexpr int64_t kMaxBytes = 1024;

/// True if the threads of a program wait for each other at `op`, programs may
/// wait for each other by means of it, or it names the block.
bool isMeeting(Operation *op) {
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return access.isAtomic() &&
           (access.waits() || !op->use_empty() ||
            access.getAtomicOrder() != tts::MemoryOrder::Relaxed);
  return isa<gpu::BarrierOp, tts::AssertOp, tts::PrintOp>(op);
}

/// True if `op` takes long, or does what a packed program cannot do.
bool preventsPacking(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp>(op) || isMeeting(op))
    return true;
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  RankedTensorType type = access ? access.getTileType() : nullptr;
  return type &&
         type.getNumElements() * type.getElementTypeBitWidth() > 8 * kMaxBytes;
}

/// Programs are packed along x, the dimension that grids are long in.
bool hasProgramsInX(func::FuncOp function) {
  BlockArgument x =
      tts::KernelSignature(function).find(tts::ParameterKind::ProgramX);
  return x && !x.use_empty();
}

bool isPackable(func::FuncOp function) {
  auto hasValue = [&](StringRef name, int64_t value) {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute && attribute.getInt() == value;
  };
  if (!hasValue(cta::kNumWarps, 1) || !hasValue(cta::kShared, 0) ||
      !hasProgramsInX(function) || hasAssembly(function))
    return false;
  WalkResult result = function.walk([](Operation *op) {
    return preventsPacking(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

struct CtaPackPrograms
    : triton_shared::impl::CtaPackProgramsBase<CtaPackPrograms> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isPackable(function))
        function->setAttr(cta::kPrograms, builder.getI32IntegerAttr(kPrograms));
  }
};

} // namespace
