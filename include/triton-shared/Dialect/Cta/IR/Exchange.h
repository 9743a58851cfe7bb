//===- Exchange.h - What goes from thread to thread -------------*- C++ -*-===//
//
// How an operation brings elements to other threads, as far as its layouts
// decide: by shuffles within a warp, or through shared memory, and then which
// tiles lie there. Who gives shared memory out asks for the bytes, and the
// lowering does what was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_EXCHANGE_H
#define TRITON_SHARED_DIALECT_CTA_IR_EXCHANGE_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Layout/ExchangeRounds.h"
#include "triton-shared/Layout/WarpShuffle.h"
#include "triton-shared/Layout/WarpSwap.h"

namespace mlir::tts {
class AccessOpInterface;
} // namespace mlir::tts

namespace mlir::cta {

/// The bytes that a tile takes in shared memory, so that the next one begins
/// where the widest access may.
int64_t getSharedBytes(RankedTensorType tile);
/// The bytes of tiles one behind the other.
int64_t getSharedBytes(ArrayRef<RankedTensorType> tiles);

/// Whether the GPU that `op`, or the function that it is, is for has
/// `stmatrix`.
bool hasMatrixStores(Operation *op);

/// The layout in which `operand`, a tile, takes the least time to be written
/// and read for a product without an instruction.
SharedLayout chooseFactorLayout(DotOp dot, OpOperand &operand);

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// What a round of a conversion through shared memory moves; there is one round
/// unless there is no room.
ExchangeRounds getRounds(ConvertLayoutOp op);
/// Has a conversion that can take half of the room.
bool canDoubleRounds(ConvertLayoutOp op);
void doubleRounds(ConvertLayoutOp op);

/// The layout of what is in shared memory in a round.
SharedLayout getExchangeLayout(ConvertLayoutOp op,
                               const ExchangeRounds &rounds);

/// The shuffle that converts, if it takes no more wavefronts than shared memory
/// would.
std::optional<WarpShuffle> findShuffle(ConvertLayoutOp op);
/// The swap that does, on the same terms.
std::optional<WarpSwap> findSwap(ConvertLayoutOp op);

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// True for one commutative operation and for a choice that does not depend on
/// the order of its sides.
bool isCommutative(Region &combine);

/// The one operation that `reduce` combines two elements with; null if it does
/// more, or combines tuples.
Operation *findCombine(ReduceOp reduce);
/// True if `reduce` adds up floats.
bool addsUp(ReduceOp reduce);

/// The smallest distance along the axis between warps; nothing if all warps
/// hold the same there.
std::optional<int32_t> getFirstWarpStep(const LinearLayout::Bases &warps,
                                        unsigned axis);

/// What of a reduction goes through shared memory.
struct ReduceExchange {
  /// The distances along the axis that warps, or registers and lanes above
  /// them, differ in; ascending.
  SmallVector<int32_t> steps;
  /// One tile per operand, with these steps side by side along the axis.
  SmallVector<RankedTensorType> tiles;
};

ReduceExchange getReduceExchange(ReduceOp op);

int64_t getAxisSize(ScanOp op);
/// The size of blocks along the axis that lie within one warp.
int32_t getWarpBlock(ScanOp op);
/// Per operand, the totals of all blocks; none if no warp needs those of
/// another.
SmallVector<RankedTensorType> getTotalTypes(ScanOp op);

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

/// What an atomic access gives back: its block, or one element that all threads
/// hold.
RankedTensorType getAtomicBlock(Operation *atomic);

/// The bytes of what one thread has read and others need.
int64_t getAtomicSharedBytes(tts::AccessOpInterface atomic);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_EXCHANGE_H
