//===- ScoresAgain.h - A product that one warp computes again ---*- C++ -*-===//
//
// A group of four warps has multiplied two tiles in shared memory, and one of
// the warps asks for its rows of the result once more. As long as the tiles are
// there, it multiplies them by itself: so no thread has to keep the result.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_SCORESAGAIN_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_SCORESAGAIN_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// Scores, which a warp can compute again from their operands.
class ScoresAgain {
public:
  /// Those that `waited` is; nothing if they cannot be computed again.
  static std::optional<ScoresAgain> find(cta::WaitDotOp waited);

  cta::WaitDotOp getWaited() const { return waited; }

  /// Computes them, by the warps that come here: some columns at a time, and
  /// step by step, as operands have no place in registers beside what the loop
  /// carries and the scores.
  Value compute(OpBuilder &builder) const;

  /// Gives the operands back behind `last`, each warp for itself.
  void keepOperandsUntil(Operation *last) const;

private:
  ScoresAgain(cta::WaitDotOp waited, cta::DotOp dot, cta::MmaAttr mma,
              cta::ArriveOp release)
      : waited(waited), dot(dot), mma(mma), release(release) {}

  Value computePart(OpBuilder &builder, int64_t first, int64_t columns) const;

  cta::WaitDotOp waited;
  cta::DotOp dot;
  cta::MmaAttr mma;
  /// What gives their operands back.
  cta::ArriveOp release;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_SCORESAGAIN_H
