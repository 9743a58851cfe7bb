//===- CarriedIndices.cpp - Indices that go through loops and branches ----===//
//
// Every carried tensor of integers is first taken to change only by a uniform
// amount that is not negative. Guesses that do not agree with what the control
// flow really yields are given up, until those that are left prove each other:
// if they hold before an iteration, they hold after it.
//
//===----------------------------------------------------------------------===//

#include "AffineTransfer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

static void collectFor(scf::ForOp loop, SmallVectorImpl<CarriedIndex> &result) {
  for (auto [d, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    result.push_back({loop,
                      {argument, loop.getResult(d)},
                      {&loop.getInitArgsMutable()[d],
                       &loop.getYieldedValuesMutable().value()[d]}});
}

static void collectWhile(scf::WhileOp loop,
                         SmallVectorImpl<CarriedIndex> &result) {
  for (auto [d, argument] : llvm::enumerate(loop.getBeforeArguments()))
    result.push_back(
        {loop,
         {argument},
         {&loop.getInitsMutable()[d], &loop.getYieldOp()->getOpOperand(d)}});
  for (auto [d, argument] : llvm::enumerate(loop.getAfterArguments()))
    result.push_back({loop,
                      {argument, loop.getResult(d)},
                      {&loop.getConditionOp().getArgsMutable()[d]}});
}

static void collectIf(scf::IfOp branch, SmallVectorImpl<CarriedIndex> &result) {
  for (auto [d, value] : llvm::enumerate(branch.getResults()))
    result.push_back({branch,
                      {value},
                      {&branch.thenYield()->getOpOperand(d),
                       &branch.elseYield()->getOpOperand(d)}});
}

void AffineAnalysis::collectCarried(Operation *function) {
  SmallVector<CarriedIndex> all;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) { collectFor(loop, all); })
        .Case([&](scf::WhileOp loop) { collectWhile(loop, all); })
        .Case([&](scf::IfOp branch) { collectIf(branch, all); });
  });
  for (CarriedIndex &index : all) {
    auto type = dyn_cast<RankedTensorType>(index.values.front().getType());
    if (!type || !(type.getElementType().isInteger(32) ||
                   type.getElementType().isInteger(64)))
      continue;
    for (Value value : index.values)
      carriedOf[value] = carried.size();
    carried.push_back(std::move(index));
  }
}

const CarriedIndex *AffineAnalysis::findCarried(Value value) const {
  auto it = carriedOf.find(value);
  return it == carriedOf.end() ? nullptr : &carried[it->second];
}

AffineExpr AffineAnalysis::getCarriedForm(Value value,
                                          const CarriedIndex &index) {
  if (index.failure)
    return AffineTransfer(*this, value).makeOpaque(*index.failure);
  AffineExpr first = getForm(index.incoming.front()->get()).expr;
  AffineExpr added = getSymbolFor(
      {IndexSymbol::Kind::Carried, value, {}, Unstructured{value, ""}});
  return normalize(split(first).varying + added);
}

void AffineAnalysis::verifyCarried() {
  bool changed = true;
  while (changed) {
    changed = false;
    forms.clear();
    for (CarriedIndex &index : carried)
      if (!index.failure)
        changed |= !verify(index);
  }
}

/// Where a value is known: the operation whose regions it lives in or that
/// makes it.
static Operation *getScope(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  return cast<BlockArgument>(value).getOwner()->getParentOp();
}

static StringRef describeChange(Operation *owner) {
  return isa<LoopLikeOpInterface>(owner)
             ? "changes by different amounts from one iteration to the next"
             : "differs between the branches by more than a scalar";
}

/// Gives up what the incoming values disprove; true if that is nothing.
bool AffineAnalysis::verify(CarriedIndex &index) {
  std::optional<AffineExpr> varying;
  bool isNonNegative = true;
  for (OpOperand *incoming : index.incoming) {
    AffineForm form = getForm(incoming->get());
    Split parts = split(form.expr);
    bool isVisible = true;
    parts.varying.walk([&](AffineExpr leaf) {
      if (isa<AffineSymbolExpr>(leaf))
        isVisible &= !index.owner->isAncestor(getScope(getSymbol(leaf).value));
    });
    if (!isVisible || parts.varying != varying.value_or(parts.varying)) {
      StringRef reason = describeChange(index.owner);
      index.failure = blame(parts.varying, incoming->get(), reason);
      return false;
    }
    varying = parts.varying;
    isNonNegative &= getRange(parts.uniform, form.shape).isNonNegative();
  }
  bool holds = isNonNegative || !index.isNonNegative;
  index.isNonNegative &= isNonNegative;
  return holds;
}
