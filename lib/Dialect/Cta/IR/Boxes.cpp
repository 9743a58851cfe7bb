//===- Boxes.cpp - Copies by TMA, as operations ---------------------------===//

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/Mbarriers.h"

using namespace mlir;
using namespace mlir::cta;

LogicalResult
MbarriersType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      int64_t slots) {
  if (slots < 1)
    return emitError() << "barriers are one or more";
  return success();
}

int64_t MbarriersOp::getSharedBytes() {
  return getMbarriers().getType().getSlots() * kMbarrierBytes;
}

StringRef MbarriersOp::getNoun() { return "waiting for copies of blocks"; }

SmallVector<BufferUse> MbarriersOp::getBufferUses() {
  return {{getMbarriers(), /*isWrite=*/true}};
}

SmallVector<BufferUse> InvalidateOp::getBufferUses() {
  return {{getMbarriers(), /*isWrite=*/true}};
}

SmallVector<BufferUse> WaitMbarrierOp::getBufferUses() {
  return {{getMbarriers(), /*isWrite=*/false}};
}

SmallVector<BufferUse> ArriveOp::getBufferUses() {
  return {{getMbarriers(), /*isWrite=*/false}};
}

bool SpecializeOp::isBarrier() { return true; }

LogicalResult AllTurnsOp::verifyRegions() {
  Block &body = getBody().front();
  bool getsTurn = body.getNumArguments() == 1 &&
                  body.getArgument(0).getType().isInteger(32);
  TypeRange yielded = body.getTerminator()->getOperandTypes();
  if (!getsTurn || yielded.size() != 1 || !yielded.front().isInteger(1))
    return emitOpError("has a region from the number of a turn, an i32, to an "
                       "i1");
  return success();
}

SmallVector<BufferUse> CopyBoxOp::getBufferUses() {
  return {{getBuffer(), /*isWrite=*/true, /*goesOn=*/true},
          {getMbarriers(), /*isWrite=*/false}};
}

SmallVector<BufferUse> StoreBoxOp::getBufferUses() {
  return {{getBuffer(), /*isWrite=*/false, /*goesOn=*/getGoesOn()}};
}

/// A box is made of pieces, in each dimension of the buffer's tile.
template <typename BoxOp> static LogicalResult verifyPieces(BoxOp op) {
  ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
  size_t rank = shape.size();
  if (op.getStart().size() != rank || op.getDims().size() != rank ||
      op.getPiece().size() != rank)
    return op.emitOpError("has one start, dimension and size of pieces for "
                          "each of the ")
           << rank << " dimensions of its buffer";
  SmallVector<int64_t> sorted(op.getDims());
  llvm::sort(sorted);
  for (auto [i, dim] : llvm::enumerate(sorted))
    if (dim != static_cast<int64_t>(i))
      return op.emitOpError("names each dimension of its buffer once");
  for (auto [dim, size] : llvm::zip_equal(op.getDims(), op.getPiece()))
    if (size < 1 || shape[dim] % size != 0)
      return op.emitOpError("cuts ")
             << shape[dim] << " elements into pieces of " << size;
  return success();
}

LogicalResult MakeTensorMapOp::verify() {
  size_t rank = getBox().size();
  if (rank == 0 || getSizes().size() != rank || getStrides().size() + 1 != rank)
    return emitOpError("has a size for each dimension of its box, and a stride "
                       "for each but the last");
  return success();
}

LogicalResult StoreBoxOp::verify() { return verifyPieces(*this); }

LogicalResult CopyBoxOp::verify() {
  if (getMbarriers().getType().getSlots() != getBuffer().getType().getSlots())
    return emitOpError("has a barrier for each slot of its buffer");
  return verifyPieces(*this);
}
