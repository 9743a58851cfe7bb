//===- LayoutRules.cpp - Which tiles share a layout -----------------------===//

#include "LayoutRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static bool isTile(Value value) {
  return value && isa<RankedTensorType>(value.getType());
}

static LinearLayout keep(const LinearLayout &layout) { return layout; }

bool triton_shared::isElementwiseOnTiles(Operation *op) {
  if (isa<cta::MapOp, cta::ScanOp>(op))
    return true;
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
static LayoutFunction ofIndices(int64_t rank, int64_t dim) {
  return [rank, dim](LinearLayout layout) {
    for (int64_t other = rank - 1; other >= 0; --other)
      if (other != dim)
        layout = layout.dropDimension(other);
    return layout;
  };
}

static SmallVector<LayoutRelation> relateAccess(tts::AccessOpInterface access,
                                                Value value) {
  SmallVector<LayoutRelation> relations;
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
    if (!isTile(operand.get()) || operand.get() == value)
      continue;
    std::optional<int64_t> dim = access.findGatheredDim(operand);
    relations.push_back({operand.get(), dim ? ofIndices(rank, *dim) : keep});
  }
  for (Value result : access->getResults())
    if (isTile(result) && result != value)
      relations.push_back({result, keep});
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
// Shapes
//===----------------------------------------------------------------------===//

static SmallVector<unsigned> getRepeatedDims(cta::BroadcastOp op) {
  SmallVector<unsigned> dims;
  for (auto [dim, size] :
       llvm::enumerate(cta::getTile(op.getSource()).getShape()))
    if (size == 1)
      dims.push_back(dim);
  return dims;
}

/// The relation of `other` to `value`, for an operation with one tile operand
/// and one tile result.
static SmallVector<LayoutRelation> relateShape(Operation *op, Value value) {
  bool isForward = value == op->getOperand(0);
  Value other = isForward ? op->getResult(0) : op->getOperand(0);
  return TypeSwitch<Operation *, SmallVector<LayoutRelation>>(op)
      .Case<cta::ReshapeOp>([&](auto) -> SmallVector<LayoutRelation> {
        SmallVector<int64_t> from(cta::getTile(value).getShape()),
            to(cta::getTile(other).getShape());
        return {{other, [=](const LinearLayout &layout) {
                   return layout.reshape(from, to);
                 }}};
      })
      .Case<cta::TransposeOp>(
          [&](cta::TransposeOp transpose) -> SmallVector<LayoutRelation> {
            SmallVector<int64_t> permutation(transpose.getPermutation());
            if (!isForward)
              permutation = invertPermutationVector(permutation);
            return {{other, [=](const LinearLayout &layout) {
                       return layout.transpose(permutation);
                     }}};
          })
      .Case<cta::BroadcastOp>(
          [&](cta::BroadcastOp broadcast) -> SmallVector<LayoutRelation> {
            // The layout of one row does not tell that of all rows.
            if (isForward)
              return {};
            SmallVector<unsigned> dims = getRepeatedDims(broadcast);
            return {{other, [=](const LinearLayout &layout) {
                       return layout.collapseDimensions(dims);
                     }}};
          })
      .Default(SmallVector<LayoutRelation>());
}

static SmallVector<LayoutRelation> relateReduce(cta::ReduceOp op, Value value) {
  SmallVector<LayoutRelation> relations;
  if (!llvm::is_contained(op.getSources(), value))
    return relations;
  unsigned axis = op.getAxis();
  for (Value source : op.getSources())
    relations.push_back({source, keep});
  for (Value result : op.getResults())
    relations.push_back({result, [axis](const LinearLayout &layout) {
                           return layout.dropDimension(axis);
                         }});
  return relations;
}

/// Tensor cores take operands from particular registers.
static std::optional<LinearLayout> getNeededByDot(cta::DotOp dot,
                                                  OpOperand &operand) {
  if (&operand == &dot.getAccumulatorMutable())
    return cta::getLayout(dot.getType());
  if (!dot.getInstruction())
    return std::nullopt;
  return &operand == &dot.getAMutable() ? cta::getLeftOperandLayout(dot)
                                        : cta::getRightOperandLayout(dot);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

SmallVector<LayoutRelation> triton_shared::getLayoutRelations(Operation *op,
                                                              Value value) {
  SmallVector<LayoutRelation> relations;
  auto relateAll = [&](ValueRange values) {
    for (Value other : values)
      if (isTile(other) && other != value)
        relations.push_back({other, keep});
  };
  op = getOwner(op);
  for (ArrayRef<Value> variable : getVariables(op))
    if (llvm::is_contained(variable, value))
      relateAll(variable);
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return relateAccess(access, value);
  if (isElementwiseOnTiles(op)) {
    relateAll(op->getOperands());
    relateAll(op->getResults());
  } else if (auto reduce = dyn_cast<cta::ReduceOp>(op)) {
    return relateReduce(reduce, value);
  } else if (auto dot = dyn_cast<cta::DotOp>(op)) {
    if (value == dot.getAccumulator() || value == dot.getResult())
      relateAll({dot.getAccumulator(), dot.getResult()});
  } else if (auto histogram = dyn_cast<cta::HistogramOp>(op)) {
    if (value == histogram.getSource() || value == histogram.getMask())
      relateAll(histogram->getOperands());
  } else if (auto lookup = dyn_cast<cta::LookupOp>(op)) {
    if (value != lookup.getSource()) {
      relateAll(lookup.getIndices());
      relateAll(lookup.getResult());
    }
  } else if (isa<cta::ReshapeOp, cta::TransposeOp, cta::BroadcastOp>(op)) {
    return relateShape(op, value);
  }
  return relations;
}

std::optional<LinearLayout> triton_shared::getNeededLayout(OpOperand &operand) {
  Operation *op = getOwner(operand.getOwner());
  Value value = operand.get();
  if (!isTile(value))
    return std::nullopt;
  // Otherwise the result decides.
  auto follow = [&](Value decider) -> std::optional<LinearLayout> {
    for (const LayoutRelation &relation : getLayoutRelations(op, decider))
      if (relation.related == value)
        return relation.follow(cta::getLayout(decider.getType()));
    return decider == value ? std::optional(cta::getLayout(value.getType()))
                            : std::nullopt;
  };
  if (Value variable = findVariable(operand))
    return cta::getLayout(variable.getType());
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return getNeededByAccess(access, operand);
  if (auto reduce = dyn_cast<cta::ReduceOp>(op))
    return cta::getLayout(reduce.getSources().front().getType());
  if (auto histogram = dyn_cast<cta::HistogramOp>(op))
    return cta::getLayout(histogram.getSource().getType());
  if (auto dot = dyn_cast<cta::DotOp>(op))
    return getNeededByDot(dot, operand);
  if (auto lookup = dyn_cast<cta::LookupOp>(op))
    return operand.getOperandNumber() == 0
               ? std::nullopt
               : std::optional(cta::getLayout(lookup.getType()));
  if (isElementwiseOnTiles(op))
    return cta::getLayout(op->getResult(0).getType());
  if (isa<cta::ReshapeOp, cta::TransposeOp, cta::BroadcastOp>(op))
    return follow(op->getResult(0));
  return std::nullopt;
}
