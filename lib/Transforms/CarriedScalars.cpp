//===- CarriedScalars.cpp - Scalars that go through control flow ----------===//

#include "CarriedScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton_shared;

void CarriedScalars::request(AffineExpr expr) {
  expr.walk([&](AffineExpr leaf) {
    if (!isa<AffineSymbolExpr>(leaf) ||
        forms.getSymbol(leaf).kind != IndexSymbol::Kind::Carried)
      return;
    const CarriedIndex *index = forms.findCarried(forms.getSymbol(leaf).value);
    if (!carries.insert({index, Carry{index, {}}}).second)
      return;
    SmallVector<std::pair<AffineExpr, Operation *>, 2> incoming;
    for (OpOperand *operand : index->incoming)
      incoming.push_back(
          {forms.split(forms.getForm(operand->get()).expr).uniform,
           operand->getOwner()});
    for (auto [uniform, user] : incoming)
      request(uniform);
    carries[index].incoming = std::move(incoming);
  });
}

void CarriedScalars::build(Operation *function, SymbolValues &values) {
  llvm::MapVector<Operation *, SmallVector<Carry *>> byOwner;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (auto &[index, carry] : carries)
      if (index->owner == op)
        byOwner[op].push_back(&carry);
  });
  // What comes in from outside is ready when its operation is reached.
  for (auto &[op, carriesOfOp] : byOwner)
    rebuild(op, carriesOfOp, values);
  // What comes in from inside may need what inner operations now carry.
  for (auto &[op, carriesOfOp] : byOwner) {
    for (Carry *carry : carriesOfOp) {
      for (auto [uniform, terminator] : carry->incoming) {
        if (terminator == op)
          continue;
        OpBuilder builder(terminator);
        Value value = IndexBuilder(builder, terminator->getLoc(), forms, values)
                          .build(uniform);
        terminator->insertOperands(terminator->getNumOperands(), value);
      }
    }
  }
}

void CarriedScalars::rebuild(Operation *op, ArrayRef<Carry *> carriesOfOp,
                             SymbolValues &values) {
  OpBuilder builder(op);
  Type type = builder.getI64Type();
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttributes(op->getAttrDictionary().getValue());
  for (Carry *carry : carriesOfOp) {
    for (auto [uniform, user] : carry->incoming)
      if (user == op)
        state.addOperands(
            IndexBuilder(builder, op->getLoc(), forms, values).build(uniform));
    for (Value value : carry->index->values)
      if (isa<OpResult>(value))
        state.addTypes(type);
  }
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *newOp = builder.create(state);

  for (auto [result, newResult] :
       llvm::zip(op->getResults(), newOp->getResults())) {
    result.replaceAllUsesWith(newResult);
    values.replaced[result] = newResult;
  }
  unsigned numResults = op->getNumResults();
  for (Carry *carry : carriesOfOp)
    for (Value value : carry->index->values)
      values.carried[value] =
          isa<OpResult>(value)
              ? newOp->getResult(numResults++)
              : Value(cast<BlockArgument>(value).getOwner()->addArgument(
                    type, value.getLoc()));
  op->erase();
}
