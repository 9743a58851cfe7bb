//===- ChooseDestinations.cpp - Results go where no copy is needed --------===//
//
// On tensors, a destination is a value like any other. Which one an operation
// has decides what bufferization copies:
//
// - A block that a loop carries is overwritten by what the next turn gets, if
//   nobody reads it later, instead of by a copy of it.
// - A part of a block is computed where it belongs in the block.
// - A block of one number is made anew wherever something is added to it: that
//   costs less than a copy.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCHOOSEDESTINATIONS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool isReshape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// What `value` is a reshaped view of.
Value getReshaped(Value value) {
  while (value.getDefiningOp() && isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// True if what `destination` of `op` holds before does not matter.
bool isFree(linalg::GenericOp op, OpOperand *destination) {
  return destination->get().getDefiningOp<tensor::EmptyOp>() &&
         !op.payloadUsesValueFromOperand(destination);
}

/// True for an element-wise operation whose only destination is free.
bool isFreeElementwise(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 && op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         isFree(op, op.getDpsInitOperand(0));
}

//===----------------------------------------------------------------------===//
// Blocks that loops carry
//===----------------------------------------------------------------------===//

/// The variable of the loop whose next value `value` becomes, maybe after
/// others have added to it.
std::optional<unsigned> findVariable(Value value, scf::ForOp loop) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user == loop.getBody()->getTerminator())
      return use.getOperandNumber();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (linalgOp && linalgOp.isDpsInit(&use))
      value = linalgOp.getTiedOpResult(&use);
    else if (isReshape(user))
      value = user->getResult(0);
    else
      return std::nullopt;
  }
  return std::nullopt;
}

/// True if `value`, seen in any shape, is read by `last` and nobody after it.
bool isLastRead(Value value, Operation *last) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isReshape(user))
      return isLastRead(user->getResult(0), last);
    Operation *inBlock = last->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && (inBlock == last || inBlock->isBeforeInBlock(last));
  });
}

/// Element by element, `op` reads what a loop carries, `input`, and computes
/// what it carries next.
bool computesNext(linalg::GenericOp op, OpOperand *input) {
  auto carried = dyn_cast<BlockArgument>(getReshaped(input->get()));
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!carried || !loop || carried.getOwner() != loop.getBody() ||
      carried == loop.getInductionVar() ||
      input->get().getType() != op.getResult(0).getType() ||
      op.getMatchingIndexingMap(input) !=
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)))
    return false;
  unsigned variable = carried.getArgNumber() - loop.getNumInductionVars();
  // Other places of the same block may already be overwritten.
  bool readsOthers = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *o) {
    return o != input && getReshaped(o->get()) == carried;
  });
  return !readsOthers && isLastRead(carried, op) &&
         findVariable(op.getResult(0), loop) == variable;
}

/// Lets `op` write to the block that it reads as `input`.
void writeTo(linalg::GenericOp op, OpOperand *input) {
  unsigned number = input->getOperandNumber();
  Block *body = op.getBody();
  OpOperand *destination = op.getDpsInitOperand(0);
  body->getArgument(number).replaceAllUsesWith(
      body->getArgument(destination->getOperandNumber()));
  destination->set(input->get());
}

//===----------------------------------------------------------------------===//
// Parts of blocks
//===----------------------------------------------------------------------===//

/// The free destination of what `insert` puts into a block, if that and the
/// place in it are known before it is computed.
OpOperand *findFreePart(tensor::InsertSliceOp insert) {
  auto part = dyn_cast<OpResult>(insert.getSource());
  auto op = part ? dyn_cast<linalg::GenericOp>(part.getOwner()) : nullptr;
  if (!op || !part.hasOneUse() || op->getBlock() != insert->getBlock())
    return nullptr;
  OpOperand *destination = op.getDpsInitOperand(part.getResultNumber());
  auto isKnownBefore = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return !maker || maker->getBlock() != op->getBlock() ||
           maker->isBeforeInBlock(op);
  };
  bool isKnown =
      llvm::all_of(insert->getOperands().drop_front(),
                   [&](Value operand) { return isKnownBefore(operand); });
  return isKnown && isFree(op, destination) ? destination : nullptr;
}

/// Lets the operation of `destination` write to the part of the block that
/// `insert` puts its result into.
void writeToPart(tensor::InsertSliceOp insert, OpOperand *destination) {
  OpBuilder builder(destination->getOwner());
  destination->set(tensor::ExtractSliceOp::create(
      builder, insert.getLoc(), insert.getSourceType(), insert.getDest(),
      insert.getMixedOffsets(), insert.getMixedSizes(),
      insert.getMixedStrides()));
}

//===----------------------------------------------------------------------===//
// Blocks of one number
//===----------------------------------------------------------------------===//

/// True if all elements are one number that is known outside.
bool isFill(linalg::GenericOp op) {
  return isFreeElementwise(op) && linalg::isaFillOpInterface(op);
}

bool isDestination(OpOperand &use) {
  if (auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner()))
    return op.isDpsInit(&use);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner()))
    return llvm::is_contained(loop.getInits(), use.get());
  return false;
}

/// Makes the block of `fill` anew for `use`.
void fillFor(linalg::GenericOp fill, OpOperand &use) {
  OpBuilder builder(use.getOwner());
  Value empty = fill.getDpsInits().front();
  IRMapping mapping;
  mapping.map(empty, builder.clone(*empty.getDefiningOp())->getResult(0));
  use.set(builder.clone(*fill, mapping)->getResult(0));
}

/// Makes the block of `fill` anew for all that add to it.
void fillForAll(linalg::GenericOp fill) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : fill->getUses())
    if (isDestination(use))
      uses.push_back(&use);
  for (OpOperand *use : uses)
    fillFor(fill, *use);
  if (fill->use_empty())
    fill.erase();
}

struct CpuChooseDestinations
    : triton_shared::impl::CpuChooseDestinationsBase<CpuChooseDestinations> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> fills;
    getOperation().walk([&](Operation *op) {
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
        if (OpOperand *destination = findFreePart(insert))
          writeToPart(insert, destination);
      } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        if (isFill(generic))
          fills.push_back(generic);
        else if (isFreeElementwise(generic))
          chooseCarried(generic);
      }
    });
    for (linalg::GenericOp fill : fills)
      fillForAll(fill);
  }

private:
  static void chooseCarried(linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (computesNext(op, input))
        return writeTo(op, input);
  }
};

} // namespace
