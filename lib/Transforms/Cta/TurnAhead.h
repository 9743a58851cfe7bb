//===- TurnAhead.h - What is between products, a turn ahead -----*- C++ -*-===//
//
// A group of warps whose turn is product, powers, product lets the tensor cores
// rest while it computes powers. If its last product is left to the next turn,
// it goes on behind the first one of that, while the powers of that are
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNAHEAD_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNAHEAD_H

#include "LoopSlice.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// The products of a loop whose turns have the first product of the next turn
/// before their last one.
struct AheadProducts {
  /// Before the loop, for its first turn.
  cta::DotOp begin;
  /// In each turn but the last: the first product of the next turn, and the
  /// last one of this turn right behind it. Both go on.
  cta::DotOp ahead, last;
  /// In the last turn, behind the loop.
  cta::DotOp end;
};

/// The turns of a loop with two products, which can be computed ahead up to the
/// last product: nothing but barriers tells when operands are there, and when
/// they are free again.
class TurnAhead {
public:
  /// Nothing if the loop does more, or if a thread had no registers for two
  /// turns at once.
  static std::optional<TurnAhead> find(scf::ForOp loop, cta::DotOp first,
                                       cta::DotOp last);

  /// Computes each turn ahead. The loop is gone; the branch that is there
  /// instead, as a loop of no turns has nothing to compute ahead either, gives
  /// its results.
  AheadProducts move();

private:
  /// A product, and what waits for its operands and gives them back.
  struct Guarded {
    cta::DotOp dot;
    SmallVector<Operation *> waits, releases;
  };

  TurnAhead(scf::ForOp loop, cta::DotOp first, cta::DotOp last)
      : loop(loop), first{first, {}, {}}, last{last, {}, {}}, slice(loop) {}

  bool collect();
  bool collectSum();
  void collectTaken();
  bool multipliesLong();
  bool hasSlotAhead();
  bool fitsIntoRegisters();

  SmallVector<Value> getCarried(const IRMapping &mapping) const;
  void mapCarried(IRMapping &now, IRMapping &next, ValueRange values) const;
  void waitForSums(OpBuilder &builder, IRMapping &turn) const;
  void moveLeft(OpBuilder &builder, IRMapping &turn);
  scf::ForOp createLoop(OpBuilder &builder, ValueRange begin,
                        AheadProducts &made);

  scf::ForOp loop;
  Guarded first, last;
  /// The number of the iterated value that the last product adds to.
  unsigned sum = 0;
  /// All else in a turn, in order: without what has been added so far, and with
  /// it.
  SmallVector<Operation *> powers, updates;
  /// Of a turn, what the last product and its barriers take.
  llvm::SetVector<Value> taken;
  /// What the operands of the first product and its barriers are computed from.
  LoopSlice slice;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNAHEAD_H
