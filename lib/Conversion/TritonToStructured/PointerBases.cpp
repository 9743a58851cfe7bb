//===- PointerBases.cpp - Where a pointer starts and what it counts -------===//

#include "PointerBases.h"

#include "PointerTypes.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include <numeric>

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// True for a pointer that is an argument of the kernel.
static bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isScalarPointer(argument.getType()) &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

//===----------------------------------------------------------------------===//
// PointerBase
//===----------------------------------------------------------------------===//

int64_t PointerBase::getUnit(int64_t elementBytes) const {
  return std::gcd(step, elementBytes);
}

PointerBase PointerBase::movedBy(int64_t elementBytes) const {
  if (kind == Kind::Unreached)
    return *this;
  return PointerBase(kind, start, std::gcd(step, elementBytes));
}

int64_t PointerBase::getAddressStep() const {
  if (!start)
    return step;
  // Whoever launches a kernel gives it tensors that are aligned to their
  // elements; of other addresses nothing is known.
  return std::gcd(step,
                  isParameter(start) ? getElementBytes(start.getType()) : 1);
}

PointerBase PointerBase::join(const PointerBase &lhs, const PointerBase &rhs) {
  if (lhs.kind == Kind::Unreached || lhs == rhs)
    return rhs;
  if (rhs.kind == Kind::Unreached)
    return lhs;
  if (lhs.start == rhs.start)
    return PointerBase(lhs.kind, lhs.start, std::gcd(lhs.step, rhs.step));
  return addressZero(std::gcd(lhs.getAddressStep(), rhs.getAddressStep()));
}

void PointerBase::print(raw_ostream &os) const {
  if (kind == Kind::Unreached) {
    os << "unreached";
    return;
  }
  if (start)
    os << start;
  else
    os << "address zero";
  os << " by steps of " << step << " bytes";
}

//===----------------------------------------------------------------------===//
// PointerBaseAnalysis
//===----------------------------------------------------------------------===//

/// True for a result that others may start at.
static bool isStart(Operation *op) {
  if (op->getNumResults() != 1 || !isScalarPointer(op->getResult(0).getType()))
    return false;
  if (auto cast = dyn_cast<tt::BitcastOp>(op))
    return getElementBytes(cast.getType()) >
           getElementBytes(cast.getSrc().getType());
  return !isa<tt::AddPtrOp, tt::UnsplatOp, arith::SelectOp, ub::PoisonOp>(op);
}

LogicalResult PointerBaseAnalysis::visitOperation(
    Operation *op, ArrayRef<const PointerBaseLattice *> operands,
    ArrayRef<PointerBaseLattice *> results) {
  // What such an operation gives starts where its pointer operands start.
  bool keepsBases =
      isa<tt::AddPtrOp, tt::SplatOp, tt::UnsplatOp, tt::BroadcastOp,
          tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp, tt::JoinOp, tt::SplitOp,
          tt::CatOp, tt::GatherOp, tt::BitcastOp, arith::SelectOp>(op);
  for (PointerBaseLattice *result : results) {
    if (isStart(op)) {
      propagateIfChanged(
          result, result->join(PointerBase::startingAt(op->getResult(0))));
      continue;
    }
    if (!keepsBases) {
      // A poisoned pointer may be taken for zero, all else has any address.
      int64_t step = isa<ub::PoisonOp>(op) ? 0 : 1;
      propagateIfChanged(result, result->join(PointerBase::addressZero(step)));
      continue;
    }
    for (auto [operand, lattice] :
         llvm::zip_equal(op->getOperands(), operands)) {
      if (!isPointerLike(operand.getType()))
        continue;
      PointerBase base = lattice->getValue();
      if (isa<tt::AddPtrOp>(op))
        base = base.movedBy(getElementBytes(operand.getType()));
      propagateIfChanged(result, result->join(base));
    }
  }
  return success();
}

void PointerBaseAnalysis::setToEntryState(PointerBaseLattice *lattice) {
  Value value = lattice->getAnchor();
  propagateIfChanged(lattice, lattice->join(isParameter(value)
                                                ? PointerBase::startingAt(value)
                                                : PointerBase::addressZero(1)));
}
