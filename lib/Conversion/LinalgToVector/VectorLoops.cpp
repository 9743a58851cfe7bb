//===- VectorLoops.cpp - Loop nests that go from vector to vector ---------===//

#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;

LaneAccess triton_shared::getLaneAccess(linalg::LinalgOp op, OpOperand &operand,
                                        unsigned vectorLoop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return LaneAccess::Other;
  if (!map.isFunctionOfDim(vectorLoop))
    return LaneAccess::Invariant;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (type && type.getElementType().isInteger(1))
    return LaneAccess::Other; // Packed in a vector, bytes in memory.
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return type && type.isLastDimUnitStride() && last &&
                 last.getPosition() == vectorLoop
             ? LaneAccess::Contiguous
             : LaneAccess::Other;
}

bool triton_shared::isSameForAllLanes(linalg::LinalgOp op, OpOperand &operand,
                                      unsigned vectorLoop) {
  return !isa<MemRefType>(operand.get().getType()) ||
         getLaneAccess(op, operand, vectorLoop) == LaneAccess::Invariant;
}

int64_t triton_shared::chooseLanes(int64_t size, unsigned elementBytes,
                                   unsigned vectorBytes) {
  int64_t most = std::max(1u, vectorBytes / elementBytes);
  int64_t factor = size & -size; // The largest power of two in it.
  return std::min<int64_t>(most, std::max<int64_t>(factor, 1));
}

SmallVector<Value> triton_shared::getPlace(OpBuilder &builder,
                                           linalg::LinalgOp op,
                                           OpOperand &operand,
                                           ArrayRef<Value> indices) {
  SmallVector<Value> place;
  for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    place.push_back(
        loop ? indices[loop.getPosition()]
             : arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
  }
  return place;
}

Value triton_shared::loadLanes(OpBuilder &builder, linalg::LinalgOp op,
                               OpOperand &operand, ArrayRef<Value> indices,
                               int64_t lanes) {
  Value source = operand.get();
  if (!isa<MemRefType>(source.getType()))
    return source; // A scalar operand.
  SmallVector<Value> place = getPlace(builder, op, operand, indices);
  if (lanes == 0)
    return memref::LoadOp::create(builder, op.getLoc(), source, place);
  auto type = VectorType::get(lanes, getElementTypeOrSelf(source.getType()));
  return vector::LoadOp::create(builder, op.getLoc(), type, source, place);
}

bool triton_shared::isAssociative(Operation *op) {
  return isa<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

Value triton_shared::combine(OpBuilder &builder, Operation *op, Value lhs,
                             Value rhs) {
  IRMapping operands;
  operands.map(op->getOperand(0), lhs);
  operands.map(op->getOperand(1), rhs);
  Operation *made = builder.clone(*op, operands);
  made->getResult(0).setType(lhs.getType());
  return made->getResult(0);
}

SmallVector<Value> triton_shared::buildPlaces(OpBuilder &builder, Location loc,
                                              Value first, int64_t count,
                                              int64_t step) {
  SmallVector<Value> places;
  for (int64_t number = 0; number < count; ++number) {
    Value distance =
        arith::ConstantIndexOp::create(builder, loc, number * step);
    places.push_back(arith::AddIOp::create(builder, loc, first, distance));
  }
  return places;
}

void triton_shared::buildLoops(
    OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes,
    ArrayRef<int64_t> steps,
    function_ref<void(OpBuilder &, ArrayRef<Value>)> body) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> lows(sizes.size(), constant(0)), ends, strides;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    ends.push_back(constant(size));
    strides.push_back(constant(loop < steps.size() ? steps[loop] : 1));
  }
  scf::buildLoopNest(builder, loc, lows, ends, strides,
                     [&](OpBuilder &inner, Location, ValueRange indices) {
                       body(inner, SmallVector<Value>(indices));
                     });
}
