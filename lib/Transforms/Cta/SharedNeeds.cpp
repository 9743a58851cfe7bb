//===- SharedNeeds.cpp - What a program needs beside its rings ------------===//

#include "SharedNeeds.h"
#include "OperandTiles.h"
#include "SharedUse.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Operands that are written once, before the loops of all that read them, and
/// which they are: left ones and right ones may need other buffers.
using Lasting = llvm::SmallDenseSet<std::pair<Value, unsigned>>;

/// What the operands of `dot` take that have to be written to buffers, and are
/// not among the `lasting` ones yet.
static int64_t countOperands(cta::DotOp dot,
                             const llvm::SmallDenseSet<Operation *> &inRings,
                             Lasting &lasting) {
  auto loop = dot->getParentOfType<scf::ForOp>();
  int64_t bytes = 0;
  for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
    bool isWritten =
        dot.getWgmma()
            ? dot.isReadFromShared(*operand)
            : operand->get().getDefiningOp<cta::ConvertLayoutOp>() != nullptr;
    Operation *source = getOperandTile(operand->get()).tile.getDefiningOp();
    bool isKnown =
        loop && loop.isDefinedOutsideOfLoop(operand->get()) &&
        !lasting.insert({operand->get(), operand->getOperandNumber()}).second;
    if (isWritten && !isKnown && !inRings.contains(source))
      bytes += llvm::alignTo(cta::getTileBytes(cta::getTile(operand->get())),
                             cta::kMatrixAlignment);
  }
  return bytes;
}

/// What one store needs if the copy engine does it, and if it does not: the
/// tile may be moved between threads before.
static int64_t countStore(tts::StoreOp store) {
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!tile)
    return 0;
  auto moved = store.getValue().getDefiningOp<cta::ConvertLayoutOp>();
  return std::max(llvm::alignTo(cta::getTileBytes(tile), cta::kMatrixAlignment),
                  static_cast<uint64_t>(moved ? getSharedBytes(moved) : 0));
}

static bool isOnlyStored(Operation *op) {
  return isa<cta::ConvertLayoutOp>(op) && op->hasOneUse() &&
         isa<tts::StoreOp>(*op->getUsers().begin());
}

int64_t triton_shared::countOtherSharedBytes(
    func::FuncOp function, const llvm::SmallDenseSet<Operation *> &inRings,
    ArrayRef<scf::ForOp> others) {
  // Barriers, and where they end.
  int64_t buffers = cta::kMatrixAlignment;
  Lasting lasting;
  // Exchanges that follow each other do not share a place, others do.
  int64_t most = 0, second = 0;
  auto addExchange = [&](int64_t bytes) {
    second = std::max(second, std::min(most, bytes));
    most = std::max(most, bytes);
  };
  function.walk([&](Operation *op) {
    auto dot = dyn_cast<cta::DotOp>(op);
    bool isElsewhere = llvm::any_of(
        others, [&](scf::ForOp other) { return other->isAncestor(op); });
    if (dot && !isElsewhere)
      buffers += countOperands(dot, inRings, lasting);
    // Those that go on keep their places.
    if (auto store = dyn_cast<tts::StoreOp>(op))
      buffers += inRings.contains(store) ? 0 : countStore(store);
    else if (!isOnlyStored(op))
      addExchange(getSharedBytes(op));
  });
  return buffers + most + second;
}
