//===- TensorBox.h - Accesses that are a box of a tensor --------*- C++ -*-===//
//
// TMA copies a box of a tensor; what lies outside of the tensor is not touched,
// and read as zero. An access is such a box if its bounds are where the tensor
// ends. Base, sizes and strides are known when the kernel is launched, or
// computed in the kernel, if that says by a descriptor that they fit.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_TENSORBOX_H
#define TRITON_SHARED_ANALYSIS_TENSORBOX_H

#include "triton-shared/Analysis/LaunchNumbers.h"

#include <variant>

namespace mlir::triton_shared {

/// One that a launch knows, or else one that the kernel computes: an integer of
/// 64 bits, or of 32 with a sign.
using BoxNumber = std::variant<tts::LaunchNumber, Value>;

/// One dimension of a tensor and of the box in it.
struct BoxDimension {
  /// The dimension of the block that lies along it.
  unsigned ofBlock;
  /// Of the tensor, in elements. A size that a launch knows is not negative.
  BoxNumber size, stride;
};

struct TensorBox {
  /// True if a launch knows where the tensor lies.
  bool isKnownAtLaunch() const;

  Value base;
  /// The number of the parameter that `base` is; nothing if it is computed.
  std::optional<unsigned> parameter;
  /// What is read outside: NaN if that is true, else zero.
  tts::LaunchNumber isNanOutside;
  /// The outermost in memory first; the stride of the last one is 1.
  SmallVector<BoxDimension> dimensions;
};

/// Where a box begins along dimension `ofBlock`, in elements: an i64. It may
/// lie outside of the tensor. Null if the access is no box.
OpFoldResult getBoxStart(tts::AccessOpInterface access, unsigned ofBlock);

/// True if `other`, what an access reads where it touches nothing, is zero.
/// Without one, any value will do.
bool isZeroOutside(Value other);

/// What addresses and strides of a box are multiples of, in bytes.
inline constexpr int64_t kBoxAlignment = 16;

/// Why a box may begin beside what the copy engine can reach, if it may: it
/// begins at a multiple of `startDivisor` elements along neighbours.
std::optional<Unstructured> checkStartAlignment(tts::AccessOpInterface access,
                                                int64_t startDivisor);

/// Finds the boxes of one function. Changes nothing.
class TensorBoxAnalysis {
public:
  using Result = std::variant<TensorBox, Unstructured>;

  /// TMA has no more dimensions.
  static constexpr unsigned kMaxRank = 5;

  /// `solver` has run `DivisibilityAnalysis`.
  TensorBoxAnalysis(FunctionOpInterface function, const DataFlowSolver &solver)
      : numbers(function), solver(solver) {}

  Result analyze(tts::AccessOpInterface access);

private:
  std::variant<BoxDimension, Unstructured>
  describe(unsigned dim, tts::AccessOpInterface access);
  std::optional<BoxNumber> findSize(tts::DimensionAccess dimension,
                                    OpFoldResult start);
  std::optional<Unstructured> checkOther(Value other, TensorBox &box) const;
  std::optional<Unstructured> checkPlace(tts::AccessOpInterface access,
                                         const TensorBox &box) const;

  LaunchNumbers numbers;
  const DataFlowSolver &solver;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_TENSORBOX_H
