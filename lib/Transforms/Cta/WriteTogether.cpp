//===- WriteTogether.cpp - Operands of several products, written at once --===//
//
// Products that follow one another would each write their operands, meet, and
// multiply: the second waits for the first, to write where that has read, and
// loads behind a barrier are not ahead of it. Operands that are there before
// the first product are written before it, as far as there is room for them.
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

namespace {

/// What the buffers of one block take, from where they are made until their
/// last use.
class BuffersOfBlock {
public:
  BuffersOfBlock(Block &block, func::FuncOp function) {
    for (auto [number, op] : llvm::enumerate(block))
      numbers[&op] = number;
    function.walk([&](Operation *op) {
      int64_t bytes = getSharedBytes(op);
      if (!hasEffect<MemoryEffects::Allocate>(op)) {
        exchange = std::max(exchange, bytes);
        return;
      }
      bytes = llvm::alignTo(bytes, cta::kMatrixAlignment);
      if (op->getBlock() == &block)
        lives[op] = {numbers.lookup(op), findLastUse(op, block), bytes};
      else
        others += bytes;
    });
  }

  /// The bytes that all take together if `alloc` is made before `place`.
  int64_t countMost(cta::AllocOp alloc, Operation *place) const {
    SmallVector<Life> all = llvm::to_vector(llvm::make_second_range(lives));
    all.push_back(lives.lookup(alloc));
    all.back().first = numbers.lookup(place);
    // Beside what is there when one of them comes to be.
    int64_t most = 0;
    for (const Life &now : all) {
      int64_t bytes = 0;
      for (auto [op, life] : lives)
        if (op != alloc && life.first <= now.first && now.first <= life.last)
          bytes += life.bytes;
      bool isThere =
          all.back().first <= now.first && now.first <= all.back().last;
      most = std::max(most, bytes + (isThere ? all.back().bytes : 0));
    }
    return most + others + exchange;
  }

  /// `alloc` is made before `place` from now on.
  void move(cta::AllocOp alloc, Operation *place) {
    lives[alloc].first = numbers.lookup(place);
  }

private:
  struct Life {
    size_t first = 0, last = 0;
    int64_t bytes = 0;
  };

  size_t findLastUse(Operation *alloc, Block &block) const {
    size_t last = 0;
    SmallVector<Operation *> users = llvm::to_vector(alloc->getUsers());
    for (size_t i = 0; i < users.size(); ++i) {
      last = std::max(last,
                      numbers.lookup(block.findAncestorOpInBlock(*users[i])));
      if (isa<cta::TransposeBufferOp>(users[i]))
        llvm::append_range(users, users[i]->getUsers());
    }
    return last;
  }

  DenseMap<Operation *, size_t> numbers;
  llvm::MapVector<Operation *, Life> lives;
  /// Of other blocks, and what an exchange takes beside them.
  int64_t others = 0, exchange = 0;
};

} // namespace

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

/// True if products read what `write` writes.
static bool isForProducts(cta::WriteOp write) {
  SmallVector<Operation *> users =
      llvm::to_vector(write.getBuffer().getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    if (isa<cta::DotOp>(users[i]))
      return true;
    if (isa<cta::TransposeBufferOp>(users[i]))
      llvm::append_range(users, users[i]->getUsers());
  }
  return false;
}

/// One fence is for all that a thread has written: of the writes since the last
/// product, the last one has it. It may be another one than before.
static void fenceOnce(Block &block) {
  cta::WriteOp last;
  for (Operation &op : block) {
    if (auto write = dyn_cast<cta::WriteOp>(op);
        write && isForProducts(write)) {
      write.setFenced(true);
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
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (std::optional<unsigned> numWarps = cta::getNumWarps(function))
        function.walk([&](Block *block) {
          writeTogether(*block, function, getRoom(function, *numWarps));
        });
  }

private:
  static void writeTogether(Block &block, func::FuncOp function, int64_t room) {
    SmallVector<cta::WriteOp> writes = llvm::to_vector(
        llvm::make_filter_range(block.getOps<cta::WriteOp>(), findEarlierDot));
    if (writes.empty())
      return;
    BuffersOfBlock buffers(block, function);
    for (cta::WriteOp write : writes) {
      cta::AllocOp alloc = findOwnBuffer(write);
      cta::DotOp dot = findEarlierDot(write);
      if (!alloc || buffers.countMost(alloc, dot) > room)
        continue;
      buffers.move(alloc, dot);
      moveBefore(write, alloc, dot);
    }
    fenceOnce(block);
  }
};

} // namespace
