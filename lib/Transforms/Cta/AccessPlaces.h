//===- AccessPlaces.h - How accesses lie to each other ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_ACCESSPLACES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_ACCESSPLACES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Analysis/AffineForm.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

class Lattice;

/// Compares accesses of one function that go to the same tensor. Changes
/// nothing; what it knows of offsets stays true when barriers are added.
class AccessPlaces {
public:
  explicit AccessPlaces(Operation *function) : function(function) {}

  /// True if `earlier` and `later` have no element of memory in common. With
  /// `loop`, which is around both, `later` is in any later turn of it, and in
  /// the same turn of all others.
  bool areApart(tts::AccessOpInterface earlier, tts::AccessOpInterface later,
                scf::ForOp loop);

  /// True if what they have in common is an element that the same thread
  /// accesses both times, and no other thread does.
  bool areOfSameThreads(tts::AccessOpInterface earlier,
                        tts::AccessOpInterface later, scf::ForOp loop);

private:
  /// From the first element of `earlier` to that of `later`, if that is one
  /// turn later, and what each further turn adds.
  struct Distance {
    AffineExpr first, perTurn;
  };

  std::optional<Distance> findDistance(tts::AccessOpInterface earlier,
                                       tts::AccessOpInterface later,
                                       scf::ForOp loop);
  /// True if no turn comes as near as `differences` of places in the blocks.
  bool goAway(const Distance &distance, const Lattice &differences);
  /// At most how many turns come after one.
  int64_t countLaterTurns(scf::ForOp loop);
  AffineAnalysis &getForms();

  Operation *function;
  /// Made when it is first needed: most kernels never write what they read.
  std::optional<AffineAnalysis> forms;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_ACCESSPLACES_H
