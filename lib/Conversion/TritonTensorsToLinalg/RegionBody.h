//===- RegionBody.h - The region of a tt op, built elsewhere ----*- C++ -*-===//
//
// `tt.reduce`, `tt.scan` and `tt.map_elementwise` hold a region over scalars.
// Their lowerings build that region once more where it is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_REGIONBODY_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_REGIONBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace mlir::triton_shared {

/// Copies the only block of `region` to where `builder` stands, with
/// `arguments` in place of its arguments. Returns the values that its
/// terminator returns. The copies are seen by a conversion that listens to
/// `builder`, so `tt` ops among them are lowered as well.
SmallVector<Value> cloneRegionBody(OpBuilder &builder, Region &region,
                                   ValueRange arguments);

/// The operation that makes up the whole region: it combines the two arguments
/// and is returned. Null if there is more to the region.
Operation *getOnlyOperation(Region &region);

/// Copies `combiner`, such an operation, to where `builder` stands, in the type
/// of `operands`, in which it is commutative.
Value cloneCombiner(OpBuilder &builder, Operation *combiner,
                    ValueRange operands);

/// The type in which `combiner` makes a long chain of `elementType`. Sums of
/// floats below 32 bits are made in f32: in their own type they would stop
/// growing after a few hundred elements. So are extrema of them, which stay
/// what they are: CPUs compare f32. Everything else keeps its type.
Type getAccumulatorType(Operation *combiner, Type elementType);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_REGIONBODY_H
