//===- Branches.cpp - Parts of a program that exclude each other ----------===//

#include "Branches.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"

using namespace mlir;
using namespace mlir::triton_shared;

Region *triton_shared::findOutermostBranch(Operation *op, Operation *around) {
  Region *branch = nullptr;
  for (; op->getParentOp() != around; op = op->getParentOp()) {
    // Warps of either kind run what is theirs once.
    if (isa<cta::SpecializeOp>(op->getParentOp()))
      continue;
    bool isBranch = isa<scf::IfOp>(op->getParentOp());
    branch = isBranch ? op->getParentRegion() : nullptr;
  }
  return branch;
}

bool triton_shared::areApart(Operation *a, Operation *b, Operation *around) {
  Region *ofA = findOutermostBranch(a, around);
  Region *ofB = findOutermostBranch(b, around);
  return ofA && ofB && ofA != ofB && ofA->getParentOp() == ofB->getParentOp();
}

scf::IfOp triton_shared::createTwoForms(scf::ForOp loop, Value condition,
                                        IRMapping &copies) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto forms = scf::IfOp::create(builder, loc, loop.getResultTypes(), condition,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop.replaceAllUsesWith(forms.getResults());
  builder.setInsertionPointToStart(forms.thenBlock());
  Operation *copy = builder.clone(*loop, copies);
  scf::YieldOp::create(builder, loc, copy->getResults());
  loop->moveBefore(forms.elseBlock(), forms.elseBlock()->end());
  builder.setInsertionPointAfter(loop);
  scf::YieldOp::create(builder, loc, loop.getResults());
  return forms;
}

void triton_shared::takePart(scf::IfOp branch, Block &part) {
  Operation *yield = part.getTerminator();
  branch.replaceAllUsesWith(yield->getOperands());
  yield->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(),
                                             part.getOperations());
  branch.erase();
}
