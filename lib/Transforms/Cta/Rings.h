//===- Rings.h - Slots in shared memory that take turns ---------*- C++ -*-===//
//
// What is copied ahead of a loop lies in a ring. Slots are counted as i32; the
// phase of a slot's barrier, also an i32, changes each time the ring begins
// again.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_RINGS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_RINGS_H

#include "AheadLoads.h"

namespace mlir::triton_shared {

/// The type of a ring for `load`.
cta::BufferType getRingType(const AheadLoad &load, int64_t slots);
cta::AllocOp createRing(OpBuilder &builder, Location loc, const AheadLoad &load,
                        int64_t slots);

/// The slots before and after `slot`, of so many.
Value createPreviousSlot(OpBuilder &builder, Location loc, Value slot,
                         int64_t slots);
Value createNextSlot(OpBuilder &builder, Location loc, Value slot,
                     int64_t slots);
/// The phase of `slot`, which comes after one of `phase`.
Value createNextPhase(OpBuilder &builder, Location loc, Value slot,
                      Value phase);

/// The product of `use` reads what `load` loads from a slot instead, as it is
/// or transposed, where it stands: so nothing comes between.
void readBefore(OpOperand &use, const AheadLoad &load, cta::AllocOp ring,
                Value slot);

/// What `load` loads is read from a slot instead, which stays as it is until
/// the turn ends. Products read it where they stand; each other user of the
/// tile that wants it in another layout reads it so.
void readFromRing(const AheadLoad &load, cta::AllocOp ring, Value slot);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_RINGS_H
