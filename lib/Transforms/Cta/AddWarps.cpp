//===- AddWarps.cpp - More warps where sums fill all registers ------------===//
//
// The number of warps in a launch says how many threads share the sums of a
// loop's products. Where these alone take as many registers as a thread has,
// the loop keeps a part of them in memory, and ptxas lets no product go on.
// Twice as many threads have room for the same sums.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/Passes.h"

#include <limits>

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAADDWARPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// More share the registers of a multiprocessor: each has fewer.
constexpr int64_t kMostWarps = 8;
/// That one warp computes of a product's result.
constexpr int64_t kRowsPerWarp = 16;

/// The bytes of all sums of products that `loop` carries from turn to turn.
int64_t countBytes(scf::ForOp loop) {
  int64_t bytes = 0;
  for (Value next : loop.getYieldedValues())
    if (auto dot = next.getDefiningOp<cta::DotOp>())
      bytes += cta::getTileBytes(dot.getType());
  return bytes;
}

/// True if a thread of so many warps has no register for anything else.
bool fillsRegisters(int64_t bytes, int64_t warps) {
  int64_t threads = warps * GpuTarget::kWarpSize;
  return bytes / (4 * threads) >= GpuTarget::kRegistersPerThread;
}

/// The least rows of a product in `function`, each of which a warp of its own
/// can have some of.
int64_t countRows(func::FuncOp function) {
  int64_t rows = std::numeric_limits<int64_t>::max();
  function.walk([&](cta::DotOp dot) {
    ArrayRef<int64_t> shape = dot.getType().getShape();
    rows = std::min(rows, shape[shape.size() - 2]);
  });
  return rows;
}

struct CtaAddWarps : triton_shared::impl::CtaAddWarpsBase<CtaAddWarps> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      std::optional<int64_t> asked = cta::getNumWarps(function);
      if (!asked || !cta::getTarget(function).hasWgmma() ||
          hasAssembly(function))
        continue;
      int64_t sums = 0;
      function.walk(
          [&](scf::ForOp loop) { sums = std::max(sums, countBytes(loop)); });
      int64_t most = std::min(kMostWarps, countRows(function) / kRowsPerWarp);
      int64_t warps = *asked;
      while (fillsRegisters(sums, warps) && 2 * warps <= most)
        warps *= 2;
      function->setAttr(cta::kNumWarps, builder.getI32IntegerAttr(warps));
    }
  }
};

} // namespace
