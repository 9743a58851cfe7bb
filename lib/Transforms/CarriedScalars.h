//===- CarriedScalars.h - Scalars that go through control flow --*- C++ -*-===//
//
// A tensor that a loop or branch changes by a uniform amount needs that amount
// only: this adds it to the operation as one more i64 that it carries.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CARRIEDSCALARS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CARRIEDSCALARS_H

#include "IndexBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {

class CarriedScalars {
public:
  explicit CarriedScalars(AffineAnalysis &forms) : forms(forms) {}

  /// Notes that the carried symbols of `expr` will be needed, and what they are
  /// computed from. Before the IR changes.
  void request(AffineExpr expr);

  /// Builds the operations of the function again that have to carry more.
  /// Operations inside their regions stay what they are.
  void build(Operation *function, SymbolValues &values);

private:
  struct Carry {
    const CarriedIndex *index;
    /// The uniform part of what comes in, and where: before the operation that
    /// carries or before a terminator inside it.
    SmallVector<std::pair<AffineExpr, Operation *>, 2> incoming;
  };

  void rebuild(Operation *op, ArrayRef<Carry *> carries, SymbolValues &values);

  AffineAnalysis &forms;
  llvm::MapVector<const CarriedIndex *, Carry> carries;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CARRIEDSCALARS_H
