//===- VectorBody.cpp - The body of a linalg operation on vectors ---------===//

#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isVectorizable(Operation *op) {
  if (isa<linalg::IndexOp, linalg::YieldOp, scf::YieldOp, arith::ConstantOp>(
          op))
    return true;
  if (op->hasAttr(kForAnyLane))
    return !op->walk([&](Operation *nested) {
                return nested == op || isVectorizable(nested)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  auto isScalar = [](Type type) { return isLane(type); };
  auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op);
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) ||
                       (intrinsic && intrinsic.getIntrin() == "llvm.ldexp");
  return op->getNumRegions() == 0 && isElementwise &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

bool triton_shared::isVectorizable(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->getArgumentTypes(), isLane) &&
         llvm::all_of(*op.getBody(), [](Operation &nested) {
           return isVectorizable(&nested);
         });
}

unsigned triton_shared::getWidestBytes(linalg::GenericOp op) {
  SmallVector<Type> types(op.getBody()->getArgumentTypes());
  for (Operation &nested : *op.getBody())
    llvm::copy_if(nested.getResultTypes(), std::back_inserter(types),
                  llvm::IsaPred<FloatType>);
  return getWidestBytes(types);
}

Value VectorBody::getVector(OpBuilder &builder, Value value) {
  return values.getVector(builder, value);
}

void VectorBody::buildIndex(OpBuilder &builder, linalg::IndexOp index) {
  Value first = indices[index.getDim()];
  if (index.getDim() != vectorLoop) {
    values.map(index.getResult(), first);
    return;
  }
  Location loc = index.getLoc();
  auto type = VectorType::get(values.getLanes(), builder.getIndexType());
  Value start = vector::BroadcastOp::create(builder, loc, type, first);
  Value step = vector::StepOp::create(builder, loc, type);
  values.map(index.getResult(),
             arith::AddIOp::create(builder, loc, start, step));
}

void VectorBody::build(OpBuilder &builder, Operation *skipped) {
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (&nested == skipped)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      buildIndex(builder, index);
    else
      values.buildElementwise(builder, &nested);
  }
}

void VectorBody::storeResults(OpBuilder &builder, ArrayRef<Value> indices) {
  Operation *yield = op.getBody()->getTerminator();
  for (auto [init, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), yield->getOperands()))
    vector::StoreOp::create(builder, op.getLoc(), getVector(builder, value),
                            init.get(), getPlace(builder, op, init, indices));
}
