//===- FloatTracks.h - Several numbers in the place of a float -*- C++ -*--===//
//
// A rewrite that computes with something else than floats has each of them go
// on as one or more numbers, its tracks. What only moves floats, in registers,
// through memory, loops and branches, moves every track; what computes, the
// rewrite has patterns for.
//
// An f64 is called `getReal` while floats of the kernel are left: an f128,
// which no kernel has.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_FLOATTRACKS_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_FLOATTRACKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::triton_shared {

/// Whether a type is a float of the kernel, a block of them, or leads to one.
bool isRounded(Type type);

/// Whether an operation moves numbers, and does nothing else with them.
bool movesNumbers(Operation *op);

/// What stands for f64.
Type getReal(MLIRContext *context);

/// A number of that type.
APFloat widenToReal(APFloat value);

/// One of the numbers that stand for a float.
struct Track {
  Type number;
  /// Whether what is read outside of a tensor may be NaN.
  bool padsWithNan;
};

/// A float, or what is made of one, becomes one of the kind for each track.
class TrackConverter : public TypeConverter {
public:
  explicit TrackConverter(ArrayRef<Track> tracks);

  ArrayRef<Track> getTracks() const { return tracks; }

private:
  SmallVector<Track> tracks;
};

/// What an operand is on a track: an integer or a mask is on each the same.
Value pickTrack(ValueRange tracks, unsigned track);

/// The same operation on one track.
Operation *copyToTrack(Operation *op, ArrayRef<ValueRange> operands,
                       unsigned track, const TrackConverter &converter,
                       OpBuilder &builder);

/// Rewrites a module, with parameters one after the other for the tracks of
/// each. `patterns` are for what computes.
LogicalResult convertTracks(ModuleOp module, const TrackConverter &converter,
                            RewritePatternSet &&patterns);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_FLOATTRACKS_H
