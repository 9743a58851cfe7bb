//===- AheadLoads.h - Which loads of a loop may run ahead -------*- C++ -*-===//
//
// A load that feeds matrix products becomes copies into a ring of slots in
// shared memory, if it can be computed ahead and nothing of the loop writes
// what it reads. Where the GPU has a copy engine and the load is a box of a
// tensor, that one copies; otherwise each thread copies its part.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_AHEADLOADS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_AHEADLOADS_H

#include "LoopSlice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Analysis/TensorBox.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// A load that becomes copies.
struct AheadLoad {
  RankedTensorType getTile() const { return cta::getTile(load->getResult(0)); }
  /// The tile as threads copy it.
  RankedTensorType getCopied() const { return copied ? copied : getTile(); }

  Operation *load;
  cta::SharedLayout layout;
  /// A product reads it from shared memory itself.
  bool isMatrix;
  /// What the copy engine copies, if it does.
  std::optional<TensorBox> box;
  /// The program may have written what the loop reads before that.
  bool isAfterWrites = false;
  /// Null if threads copy what they would load.
  RankedTensorType copied;
};

/// The product that reads the tile of `load` from shared memory itself; null
/// if there is none.
OpOperand *findMatrixUse(tts::LoadOp load);

/// True if `region` may write what `base` points to. Arguments are apart from
/// each other; a computed address may be anywhere.
bool mayWrite(Region &region, Value base);

/// True if `function` touches memory by no more than loads and stores, so that
/// it tells no other program what it has written, and hears of nothing.
bool isOnItsOwn(func::FuncOp function);

/// True if there is no other loop in `loop`.
bool isInnermost(scf::ForOp loop);

/// True if a loop in `root` loads something. What is known about the values of
/// a long kernel without one takes long to find out, and nobody asks.
bool hasLoadsInLoops(Operation *root);

/// Finds the loads of one loop that may run ahead.
class AheadLoads {
public:
  AheadLoads(scf::ForOp loop, const DataFlowSolver &solver,
             TensorBoxAnalysis &boxes)
      : loop(loop), solver(solver), boxes(boxes) {}

  /// `slice` comes to have what their addresses are computed from. With
  /// `takesSmall` that may be loads of a few integers, a copy of which would
  /// have to be waited for; what has a mask, and rows of which threads hold too
  /// little to copy it, run ahead, too.
  SmallVector<AheadLoad> find(LoopSlice &slice, bool takesSmall = false);

private:
  bool mayReorder();
  bool isWritten(Value base);
  bool loadsIndices(tts::AccessOpInterface load);
  bool feedsDot(tts::LoadOp load);
  std::optional<AheadLoad> plan(tts::LoadOp load);
  std::optional<AheadLoad> planBox(tts::LoadOp load);
  std::optional<AheadLoad> planRow(tts::LoadOp load);
  std::optional<unsigned> countNeighbours(tts::LoadOp load);
  std::optional<cta::SharedLayout> findMatrixLayout(tts::LoadOp load);
  std::optional<cta::SharedLayout> findReadLayout(tts::LoadOp load);

  scf::ForOp loop;
  const DataFlowSolver &solver;
  TensorBoxAnalysis &boxes;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_AHEADLOADS_H
