//===- WriteTogether.cpp - Operands of several products, written at once --===//
//
// Products that follow one another would each write their operands, meet, and
// multiply: the second waits for the first, to write where that has read, and
// loads behind a barrier are not ahead of it. Where there is room for all, the
// operands that are there before the first product are written before it.
//
//===----------------------------------------------------------------------===//

#include "SharedUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAWRITETOGETHER
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The bytes that a program may take without that fewer of them run at once:
/// registers let no more run either.
static int64_t getRoom(func::FuncOp function, unsigned numWarps) {
  constexpr unsigned kRegistersOfProduct = 128;
  unsigned registers = kRegistersOfProduct * numWarps * GpuTarget::kWarpSize;
  unsigned programs = std::max(1u, GpuTarget::kRegistersPerBlock / registers);
  return cta::getTarget(function).getSharedBytes() / programs;
}

/// The bytes that all buffers take, none where another one was, and the largest
/// exchange beside them.
static int64_t countApart(func::FuncOp function) {
  int64_t buffers = 0, exchange = 0;
  function.walk([&](Operation *op) {
    int64_t bytes = getSharedBytes(op);
    if (hasEffect<MemoryEffects::Allocate>(op))
      buffers += llvm::alignTo(bytes, cta::kMatrixAlignment);
    else
      exchange = std::max(exchange, bytes);
  });
  return buffers + exchange;
}

/// The buffer that `write` alone writes, once; null if it is another one.
static cta::AllocOp findOwnBuffer(cta::WriteOp write) {
  auto alloc = write.getBuffer().getDefiningOp<cta::AllocOp>();
  bool isOwn = alloc && alloc->getBlock() == write->getBlock() &&
               matchPattern(write.getSlot(), m_Constant()) &&
               llvm::all_of(alloc->getUsers(), [&](Operation *user) {
                 return user == write || isa<cta::DotOp>(user) ||
                        isa<cta::TransposeBufferOp>(user);
               });
  return isOwn ? alloc : nullptr;
}

/// The first product between what makes the tile of `write` and `write`.
static cta::DotOp findEarlierDot(cta::WriteOp write) {
  Operation *made = write.getSource().getDefiningOp();
  bool isHere = made && made->getBlock() == write->getBlock();
  for (Operation *op = isHere ? made->getNextNode()
                              : &write->getBlock()->front();
       op != write; op = op->getNextNode())
    if (auto dot = dyn_cast<cta::DotOp>(op); dot && dot.getWgmma())
      return dot;
  return nullptr;
}

static void moveBefore(cta::WriteOp write, cta::AllocOp alloc, cta::DotOp dot) {
  OpBuilder builder(dot);
  alloc->moveBefore(dot);
  write.getSlotMutable().assign(
      builder.clone(*write.getSlot().getDefiningOp())->getResult(0));
  write->moveBefore(dot);
}

/// One fence is for all that a thread has written: of the writes since the last
/// product, the last one has it.
static void fenceOnce(Block &block) {
  cta::WriteOp last;
  for (Operation &op : block) {
    if (auto write = dyn_cast<cta::WriteOp>(op); write && write.getFenced()) {
      if (last)
        last.setFenced(false);
      last = write;
    } else if (isa<cta::DotOp>(op) || op.getNumRegions() || isBarrier(&op)) {
      last = nullptr;
    }
  }
}

namespace {

struct CtaWriteTogether
    : triton_shared::impl::CtaWriteTogetherBase<CtaWriteTogether> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      std::optional<unsigned> numWarps = cta::getNumWarps(function);
      if (numWarps && countApart(function) <= getRoom(function, *numWarps))
        writeTogether(function);
    }
  }

private:
  static void writeTogether(func::FuncOp function) {
    SmallVector<cta::WriteOp> writes;
    function.walk([&](cta::WriteOp write) { writes.push_back(write); });
    llvm::SetVector<Block *> changed;
    for (cta::WriteOp write : writes) {
      cta::AllocOp alloc = findOwnBuffer(write);
      cta::DotOp dot = alloc ? findEarlierDot(write) : nullptr;
      if (!dot)
        continue;
      moveBefore(write, alloc, dot);
      changed.insert(write->getBlock());
    }
    for (Block *block : changed)
      fenceOnce(*block);
  }
};

} // namespace
