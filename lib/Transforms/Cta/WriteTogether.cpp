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
    for (Operation *user : findBufferUsers(alloc->getResult(0)))
      last = std::max(last, numbers.lookup(block.findAncestorOpInBlock(*user)));
    return last;
  }

  DenseMap<Operation *, size_t> numbers;
  llvm::MapVector<Operation *, Life> lives;
  /// Of other blocks, and what an exchange takes beside them.
  int64_t others = 0, exchange = 0;
};

} // namespace

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

/// The first product that reads what `write` writes, if that is one of the same
/// block; null otherwise.
static cta::DotOp findFirstReader(cta::WriteOp write) {
  Operation *first = nullptr;
  for (Operation *user : findBufferUsers(write.getBuffer())) {
    Operation *place = write->getBlock()->findAncestorOpInBlock(*user);
    if (isa<cta::DotOp>(user) &&
        (!first || (place && place->isBeforeInBlock(first))))
      first = place;
  }
  return dyn_cast_if_present<cta::DotOp>(first);
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
  return isOwn && findFirstReader(write) ? alloc : nullptr;
}

/// Where `write` may go before `dot`: before what else is written for that, so
/// that this one stays the last one.
static Operation *findPlace(cta::WriteOp write, cta::DotOp dot) {
  Operation *place = dot;
  Operation *made = write.getSource().getDefiningOp();
  for (Operation *op = dot->getPrevNode(); op && op != made;
       op = op->getPrevNode()) {
    if (isa<cta::DotOp>(op) || op->getNumRegions() || isBarrier(op))
      break;
    if (auto other = dyn_cast<cta::WriteOp>(op);
        other && findFirstReader(other) == dot)
      place = other;
  }
  return place;
}

static void moveBefore(cta::WriteOp write, cta::AllocOp alloc,
                       Operation *place) {
  OpBuilder builder(place);
  alloc->moveBefore(place);
  write.getSlotMutable().assign(
      builder.clone(*write.getSlot().getDefiningOp())->getResult(0));
  write->moveBefore(place);
}

/// True if the fence of `later` is for what `write` has written, too: before
/// the first product that reads that, threads meet behind the fence, as another
/// one or the same reads what was written last. Where nobody reads that yet,
/// they may have met before it.
static bool isFencedBy(cta::WriteOp write, cta::WriteOp later) {
  cta::DotOp reader = findFirstReader(write), next = findFirstReader(later);
  return reader && next && !reader->isBeforeInBlock(next);
}

/// One fence is for all that a thread has written. It may be another one than
/// before.
static void fenceOnce(Block &block) {
  cta::WriteOp last;
  for (Operation &op : block) {
    if (auto write = dyn_cast<cta::WriteOp>(op);
        write && findFirstReader(write)) {
      write.setFenced(true);
      if (last && isFencedBy(last, write))
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
      Operation *place = findPlace(write, dot);
      if (!alloc || buffers.countMost(alloc, place) > room)
        continue;
      buffers.move(alloc, place);
      moveBefore(write, alloc, place);
    }
    fenceOnce(block);
  }
};

} // namespace
