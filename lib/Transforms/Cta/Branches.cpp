//===- Branches.cpp - Parts of a program that exclude each other ----------===//

#include "Branches.h"

using namespace mlir;
using namespace mlir::triton_shared;

Region *triton_shared::findOutermostBranch(Operation *op, Operation *around) {
  Region *branch = nullptr;
  for (; op->getParentOp() != around; op = op->getParentOp()) {
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

void triton_shared::takePart(scf::IfOp branch, Block &part) {
  Operation *yield = part.getTerminator();
  branch.replaceAllUsesWith(yield->getOperands());
  yield->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(),
                                             part.getOperations());
  branch.erase();
}
