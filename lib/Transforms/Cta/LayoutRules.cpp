//===- LayoutRules.cpp - Which tiles share a layout -----------------------===//

#include "LayoutRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static bool isTile(Value value) {
  return value && isa<RankedTensorType>(value.getType());
}

bool triton_shared::isElementwiseOnTiles(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::any_of(op->getResults(), isTile);
}

//===----------------------------------------------------------------------===//
// Operations with regions
//===----------------------------------------------------------------------===//

/// The values that are one variable of `op`: what it starts from, what the
/// regions take and yield, and the result.
static SmallVector<SmallVector<Value>> getVariables(Operation *op) {
  SmallVector<SmallVector<Value>> variables;
  TypeSwitch<Operation *>(op)
      .Case<scf::ForOp>([&](scf::ForOp loop) {
        for (auto [init, argument, yielded, result] :
             llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                             loop.getYieldedValues(), loop.getResults()))
          variables.push_back({init, argument, yielded, result});
      })
      .Case<scf::WhileOp>([&](scf::WhileOp loop) {
        for (auto [init, argument, yielded] :
             llvm::zip_equal(loop.getInits(), loop.getBeforeArguments(),
                             loop.getYieldedValues()))
          variables.push_back({init, argument, yielded});
        for (auto [passed, argument, result] :
             llvm::zip_equal(loop.getConditionOp().getArgs(),
                             loop.getAfterArguments(), loop.getResults()))
          variables.push_back({passed, argument, result});
      })
      .Case<scf::IfOp>([&](scf::IfOp branch) {
        for (OpResult result : branch.getResults()) {
          unsigned i = result.getResultNumber();
          variables.push_back({branch.thenYield().getOperand(i),
                               branch.elseYield().getOperand(i), result});
        }
      });
  return variables;
}

/// The operation whose variables `terminator` passes on.
static Operation *getOwner(Operation *op) {
  return isa<scf::YieldOp, scf::ConditionOp>(op) ? op->getParentOp() : op;
}

/// What a variable of `op` is called inside of it and after it: these always
/// have one layout.
static bool isNameOf(Operation *op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == op;
  return value.getDefiningOp() == op;
}

SmallVector<Value> triton_shared::getOtherNames(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  SmallVector<Value> names;
  for (ArrayRef<Value> variable : getVariables(op))
    if (llvm::is_contained(variable, value))
      llvm::copy_if(variable, std::back_inserter(names), [&](Value other) {
        return other != value && isNameOf(op, other);
      });
  return names;
}

/// The variable that an operand starts or passes on, as it is called there.
static Value findVariable(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  Operation *user = operand.getOwner();
  Operation *owner = getOwner(user);
  if (isa<scf::ConditionOp>(user))
    return cast<scf::WhileOp>(owner).getAfterArguments()[number - 1];
  return TypeSwitch<Operation *, Value>(owner)
      .Case<scf::ForOp>([&](scf::ForOp loop) -> Value {
        return user == owner ? loop.getTiedLoopRegionIterArg(&operand)
                             : loop.getRegionIterArg(number);
      })
      .Case<scf::WhileOp>([&](scf::WhileOp loop) -> Value {
        return loop.getBeforeArguments()[number];
      })
      .Case<scf::IfOp>(
          [&](scf::IfOp branch) -> Value { return branch.getResult(number); })
      .Default(Value());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The layout of the indices of gathered dimension `dim`, from that of the
/// block.
static cta::LayoutFunction ofIndices(int64_t rank, int64_t dim) {
  return [rank, dim](LinearLayout layout) {
    for (int64_t other = rank - 1; other >= 0; --other)
      if (other != dim)
        layout = layout.dropDimension(other);
    return layout;
  };
}

static SmallVector<cta::LayoutRelation>
relateAccess(tts::AccessOpInterface access, Value value) {
  SmallVector<cta::LayoutRelation> relations;
  if (!access.getTileType())
    return relations;
  // Indices do not tell the layout of a block; one tile may be the indices of
  // several dimensions.
  for (OpOperand &operand : access->getOpOperands())
    if (operand.get() == value && value != access.getTile() &&
        access.findGatheredDim(operand))
      return relations;
  int64_t rank = access.getTileType().getRank();
  for (OpOperand &operand : access->getOpOperands()) {
    if (operand.get() == value)
      continue;
    if (std::optional<int64_t> dim = access.findGatheredDim(operand))
      relations.push_back({operand.get(), ofIndices(rank, *dim)});
    else
      cta::relateEqual(relations, operand.get(), value);
  }
  cta::relateEqual(relations, access->getResults(), value);
  return relations;
}

static std::optional<LinearLayout>
getNeededByAccess(tts::AccessOpInterface access, OpOperand &operand) {
  if (!access.getTileType())
    return std::nullopt;
  LinearLayout layout = cta::getLayout(access.getTileType());
  std::optional<int64_t> dim = access.findGatheredDim(operand);
  return dim ? ofIndices(layout.getRank(), *dim)(layout) : layout;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

SmallVector<cta::LayoutRelation>
triton_shared::getLayoutRelations(Operation *op, Value value) {
  SmallVector<cta::LayoutRelation> relations;
  op = getOwner(op);
  for (ArrayRef<Value> variable : getVariables(op))
    if (llvm::is_contained(variable, value))
      cta::relateEqual(relations, variable, value);
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return relateAccess(access, value);
  if (auto tiles = dyn_cast<cta::CtaOpInterface>(op))
    return tiles.getLayoutRelations(value);
  if (isElementwiseOnTiles(op)) {
    cta::relateEqual(relations, op->getOperands(), value);
    cta::relateEqual(relations, op->getResults(), value);
  }
  return relations;
}

std::optional<LinearLayout> triton_shared::getNeededLayout(OpOperand &operand) {
  Operation *op = getOwner(operand.getOwner());
  if (!isTile(operand.get()))
    return std::nullopt;
  if (Value variable = findVariable(operand))
    return cta::getLayout(variable.getType());
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return getNeededByAccess(access, operand);
  if (auto tiles = dyn_cast<cta::CtaOpInterface>(op))
    return tiles.getNeededLayout(operand);
  if (isElementwiseOnTiles(op))
    return cta::getLayout(op->getResult(0).getType());
  return std::nullopt;
}
