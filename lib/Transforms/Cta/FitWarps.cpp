//===- FitWarps.cpp - How many warps a program keeps busy -----------------===//
//
// The number of warps in a launch is for the blocks that its author had in
// mind. A warp that holds less than one wide access of every block only makes
// others wait for it; and where elements are combined, two wide accesses of
// each thread cost less than another warp to combine with. But two warps have
// to meet in shared memory as four have, and each has twice as much to do.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAFITWARPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Accesses as wide as can be, for each thread of a program that combines
/// elements.
constexpr int64_t kAccessesPerCombine = 2;

/// What the number of warps follows from.
struct Work {
  /// Of the largest tile, accessed or not.
  int64_t elements = 1;
  /// Of the widest element that is accessed.
  int64_t elementBytes = 1;
  /// Elements meet across threads.
  bool combines = false;
  /// Matrix instructions are cut to the warps that they are given.
  bool multiplies = false;
  /// Turns of a loop are shared out to all programs, of which there are as many
  /// as multiprocessors have room for with the warps that were asked for.
  bool isSharedOut = false;

  /// If each thread makes so many accesses of the largest tile.
  int64_t countWarps(int64_t accesses) const {
    int64_t perThread = std::max<int64_t>(
        1, accesses * GpuTarget::kBytesPerAccess / elementBytes);
    return std::max<int64_t>(1, elements / (perThread * GpuTarget::kWarpSize));
  }

  bool keepsWarps() const { return multiplies || (isSharedOut && !combines); }

  int64_t countWarps() const {
    if (!combines)
      return countWarps(1);
    int64_t warps = countWarps(kAccessesPerCombine);
    return warps == 2 ? countWarps(1) : warps;
  }
};

void addTile(Work &work, Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    work.elements = std::max(work.elements, tile.getNumElements());
}

/// True if `step` is made of a size of the grid.
bool isOfGrid(tts::KernelSignature &signature, Value step) {
  if (Operation *made = step.getDefiningOp())
    return isa<arith::MulIOp, arith::ExtSIOp, arith::TruncIOp>(made) &&
           llvm::any_of(made->getOperands(), [&](Value operand) {
             return isOfGrid(signature, operand);
           });
  std::optional<tts::ParameterKind> kind = signature.findKind(step);
  return kind && llvm::is_contained(tts::kGridSizes, *kind);
}

Work measureWork(func::FuncOp function) {
  Work work;
  tts::KernelSignature signature(function);
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      work.isSharedOut |= isOfGrid(signature, loop.getStep());
    for (Type type : op->getResultTypes())
      addTile(work, type);
    work.combines |= isa<cta::ReduceOp, cta::ScanOp>(op);
    work.multiplies |= isa<cta::DotOp>(op);
    auto access = dyn_cast<tts::AccessOpInterface>(op);
    RankedTensorType tile = access ? access.getTileType() : nullptr;
    if (!tile)
      return;
    addTile(work, tile);
    int64_t bits = tile.getElementTypeBitWidth();
    work.elementBytes = std::max(work.elementBytes, bits / 8);
  });
  return work;
}

struct CtaFitWarps : triton_shared::impl::CtaFitWarpsBase<CtaFitWarps> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      std::optional<int64_t> asked = cta::getNumWarps(function);
      Work work = measureWork(function);
      if (!asked || work.keepsWarps() || hasAssembly(function))
        continue;
      function->setAttr(cta::kNumWarps, builder.getI32IntegerAttr(std::min(
                                            *asked, work.countWarps())));
    }
  }
};

} // namespace
