//===- ProgramSlice.cpp - The scalars that some operations need -----------===//

#include "ProgramSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

bool ProgramSlice::add(Operation *op) {
  operations.insert(op);
  llvm::append_range(waiting, op->getOperands());
  return addAround(op) && finish();
}

bool ProgramSlice::addValues(ValueRange values) {
  llvm::append_range(waiting, values);
  return finish();
}

bool ProgramSlice::finish() {
  while (!waiting.empty())
    if (!visit(waiting.pop_back_val()))
      return false;
  return true;
}

/// Takes in the loops and branches that decide whether `op` runs.
bool ProgramSlice::addAround(Operation *op) {
  Operation *around = op->getParentOp();
  return around == function || addOperation(around);
}

/// Takes in `op` but for what it iterates over.
bool ProgramSlice::addOperation(Operation *op) {
  if (!operations.insert(op).second)
    return true;
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    addWhole(loop);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    waiting.append(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    waiting.push_back(branch.getCondition());
  } else {
    // Each thread that asks for copies has a room for its own maps.
    bool canRepeat = isMemoryEffectFree(op) || isa<cta::MakeTensorMapOp>(op);
    auto turns = dyn_cast<cta::AllTurnsOp>(op);
    if (!canRepeat || (op->getNumRegions() && !turns))
      return false;
    llvm::append_range(waiting, op->getOperands());
    if (turns) {
      SetVector<Value> above;
      getUsedValuesDefinedAbove(turns.getBody(), above);
      llvm::append_range(waiting, above);
    }
  }
  return addAround(op);
}

/// Loops that end by a condition are taken as they are.
void ProgramSlice::addWhole(scf::WhileOp loop) {
  llvm::append_range(waiting, loop.getInits());
  llvm::append_range(waiting, loop.getConditionOp().getOperands());
  llvm::append_range(waiting, loop.getYieldOp().getOperands());
}

/// Takes in result `number` of a branch or a `scf.for`, and what becomes it.
bool ProgramSlice::addCarried(Operation *op, unsigned number) {
  if (!carried.insert({op, number}).second)
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    waiting.push_back(loop.getInitArgs()[number]);
    waiting.push_back(loop.getYieldedValues()[number]);
  } else {
    auto branch = cast<scf::IfOp>(op);
    waiting.push_back(branch.thenYield().getOperand(number));
    waiting.push_back(branch.elseYield().getOperand(number));
  }
  return addOperation(op);
}

bool ProgramSlice::visit(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *around = argument.getOwner()->getParentOp();
    if (around == function)
      return true;
    auto loop = dyn_cast<scf::ForOp>(around);
    if (loop && argument != loop.getInductionVar())
      return addCarried(loop,
                        argument.getArgNumber() - loop.getNumInductionVars());
    return addOperation(around);
  }
  Operation *definition = value.getDefiningOp();
  if (outside.contains(definition))
    return true;
  if (isa<scf::ForOp, scf::IfOp>(definition))
    return addCarried(definition, cast<OpResult>(value).getResultNumber());
  return addOperation(definition);
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

void ProgramSlice::clone(Block &block, OpBuilder &builder) const {
  IRMapping mapping;
  clone(block, builder, mapping);
}

void ProgramSlice::clone(Block &block, OpBuilder &builder,
                         IRMapping &mapping) const {
  for (Operation &op : block) {
    if (!operations.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      clone(loop, builder, mapping);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      clone(branch, builder, mapping);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      clone(loop, builder, mapping);
    else
      builder.clone(op, mapping);
  }
}

/// The numbers of the results of `op` that are needed, ascending.
SmallVector<unsigned> ProgramSlice::getCarried(Operation *op) const {
  SmallVector<unsigned> numbers;
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    if (carried.contains({op, number}))
      numbers.push_back(number);
  return numbers;
}

/// Those of `values` that have these numbers, as they are in the copy.
static SmallVector<Value> pick(ValueRange values, ArrayRef<unsigned> numbers,
                               const IRMapping &mapping) {
  return llvm::map_to_vector(numbers, [&](unsigned number) {
    return mapping.lookupOrDefault(values[number]);
  });
}

/// Results `numbers` of `op` are those of its copy `made`.
static void mapResults(Operation *op, Operation *made,
                       ArrayRef<unsigned> numbers, IRMapping &mapping) {
  for (auto [number, result] : llvm::zip_equal(numbers, made->getResults()))
    mapping.map(op->getResult(number), result);
}

void ProgramSlice::clone(scf::ForOp loop, OpBuilder &builder,
                         IRMapping &mapping) const {
  SmallVector<unsigned> numbers = getCarried(loop);
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()),
      pick(loop.getInitArgs(), numbers, mapping),
      [](OpBuilder &, Location, Value, ValueRange) {}, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [number, argument] :
       llvm::zip_equal(numbers, made.getRegionIterArgs()))
    mapping.map(loop.getRegionIterArg(number), argument);
  OpBuilder inside = OpBuilder::atBlockEnd(made.getBody());
  clone(*loop.getBody(), inside, mapping);
  scf::YieldOp::create(inside, loop.getLoc(),
                       pick(loop.getYieldedValues(), numbers, mapping));
  mapResults(loop, made, numbers, mapping);
}

void ProgramSlice::clone(scf::IfOp branch, OpBuilder &builder,
                         IRMapping &mapping) const {
  SmallVector<unsigned> numbers = getCarried(branch);
  auto types = llvm::map_to_vector(numbers, [&](unsigned number) {
    return branch.getResult(number).getType();
  });
  auto made = scf::IfOp::create(builder, branch.getLoc(), types,
                                mapping.lookupOrDefault(branch.getCondition()),
                                /*addThenBlock=*/true,
                                /*addElseBlock=*/branch.elseBlock() != nullptr);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder inside = OpBuilder::atBlockEnd(&to.front());
    clone(from.front(), inside, mapping);
    scf::YieldOp::create(
        inside, branch.getLoc(),
        pick(from.front().getTerminator()->getOperands(), numbers, mapping));
  }
  mapResults(branch, made, numbers, mapping);
}

void ProgramSlice::clone(scf::WhileOp loop, OpBuilder &builder,
                         IRMapping &mapping) const {
  auto made = cast<scf::WhileOp>(builder.cloneWithoutRegions(*loop, mapping));
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), made->getRegions())) {
    Block &block = from.front();
    OpBuilder inside(builder.getContext());
    inside.createBlock(
        &to, {}, block.getArgumentTypes(),
        llvm::map_to_vector(block.getArguments(), [](BlockArgument argument) {
          return argument.getLoc();
        }));
    mapping.map(block.getArguments(), to.front().getArguments());
    clone(block, inside, mapping);
    inside.clone(*block.getTerminator(), mapping);
  }
}
