//===- SharedNeeds.cpp - What a program needs beside its rings ------------===//

#include "SharedNeeds.h"
#include "Branches.h"
#include "OperandTiles.h"
#include "SharedUse.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Bytes that keep their place, by the branch that they are needed in.
class PlacesInBranches {
public:
  explicit PlacesInBranches(func::FuncOp function) : function(function) {}

  void addToAll(int64_t bytes) { common += bytes; }
  void add(Operation *op, int64_t bytes) {
    if (Region *part = findOutermostBranch(op, function))
      parts[part->getParentOp()][part->getRegionNumber()] += bytes;
    else
      addToAll(bytes);
  }

  /// What a run takes at most: it comes to one part of each branch.
  int64_t getMost() const {
    int64_t most = common;
    for (auto [branch, bytes] : parts)
      most += std::max(bytes[0], bytes[1]);
    return most;
  }

private:
  func::FuncOp function;
  int64_t common = 0;
  /// Of the two parts of each `scf.if`.
  llvm::SmallDenseMap<Operation *, std::array<int64_t, 2>> parts;
};

} // namespace

/// Operands that are written once, before the loops of all that read them, and
/// which they are: left ones and right ones may need other buffers.
using Lasting = llvm::SmallDenseSet<std::pair<Value, unsigned>>;

/// Adds what the operands of `dot` take that have to be written to buffers, and
/// are not among the `lasting` ones yet.
static void addOperands(cta::DotOp dot,
                        const llvm::SmallDenseSet<Operation *> &inRings,
                        Lasting &lasting, PlacesInBranches &places) {
  auto loop = dot->getParentOfType<scf::ForOp>();
  for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
    bool isWritten =
        dot.getWgmma()
            ? dot.isReadFromShared(*operand)
            : operand->get().getDefiningOp<cta::ConvertLayoutOp>() != nullptr;
    Operation *source = getOperandTile(operand->get()).tile.getDefiningOp();
    bool lasts = loop && loop.isDefinedOutsideOfLoop(operand->get());
    bool isKnown =
        lasts &&
        !lasting.insert({operand->get(), operand->getOperandNumber()}).second;
    if (!isWritten || isKnown || inRings.contains(source))
      continue;
    int64_t bytes = llvm::alignTo(
        cta::getTileBytes(cta::getTile(operand->get())), cta::kMatrixAlignment);
    if (lasts)
      places.addToAll(bytes);
    else
      places.add(dot, bytes);
  }
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
  PlacesInBranches buffers(function);
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
      addOperands(dot, inRings, lasting, buffers);
    // Those that go on keep their places.
    if (auto store = dyn_cast<tts::StoreOp>(op))
      buffers.add(store, inRings.contains(store) ? 0 : countStore(store));
    else if (!isOnlyStored(op))
      addExchange(getSharedBytes(op));
  });
  // Barriers, and where they end, come first.
  return cta::kMatrixAlignment + buffers.getMost() + most + second;
}
