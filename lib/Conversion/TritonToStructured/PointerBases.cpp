//===- PointerBases.cpp - Which argument a pointer starts at --------------===//

#include "PointerBases.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

PointerBase PointerBase::join(const PointerBase &lhs, const PointerBase &rhs) {
  if (lhs.kind == Kind::Unreached || lhs == rhs)
    return rhs;
  if (rhs.kind == Kind::Unreached)
    return lhs;
  return addressZero();
}

void PointerBase::print(raw_ostream &os) const {
  if (argument)
    os << argument;
  else
    os << (kind == Kind::Zero ? "address zero" : "unreached");
}

LogicalResult PointerBaseAnalysis::visitOperation(
    Operation *op, ArrayRef<const PointerBaseLattice *> operands,
    ArrayRef<PointerBaseLattice *> results) {
  // What such an operation gives starts where its pointer operands start; an
  // integer that becomes a pointer starts at zero, and so does what an
  // operation makes that is not known here.
  bool keepsBases =
      isa<tt::AddPtrOp, tt::SplatOp, tt::UnsplatOp, tt::BroadcastOp,
          tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp, tt::JoinOp, tt::SplitOp,
          tt::CatOp, tt::GatherOp, tt::BitcastOp, arith::SelectOp>(op);
  for (PointerBaseLattice *result : results) {
    if (!keepsBases) {
      propagateIfChanged(result, result->join(PointerBase::addressZero()));
      continue;
    }
    for (auto [operand, lattice] : llvm::zip_equal(op->getOperands(), operands))
      if (isa<tt::PointerType>(getElementTypeOrSelf(operand.getType())))
        propagateIfChanged(result, result->join(lattice->getValue()));
  }
  return success();
}

void PointerBaseAnalysis::setToEntryState(PointerBaseLattice *lattice) {
  auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
  bool isParameter =
      argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  propagateIfChanged(
      lattice, lattice->join(isParameter ? PointerBase::ofArgument(argument)
                                         : PointerBase::addressZero()));
}
