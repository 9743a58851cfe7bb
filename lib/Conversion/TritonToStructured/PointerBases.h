//===- PointerBases.h - Which argument a pointer starts at ------*- C++ -*-===//
//
// A forward dataflow analysis. It answers for every pointer, scalar or block,
// whether all that may reach it starts at one argument of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERBASES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERBASES_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace mlir::triton_shared {

/// Where a pointer starts: at an argument, or at address zero.
class PointerBase {
public:
  /// Nothing is known yet, or the value is never reached.
  PointerBase() = default;
  static PointerBase ofArgument(Value argument) {
    return PointerBase(Kind::Argument, argument);
  }
  static PointerBase addressZero() { return PointerBase(Kind::Zero, nullptr); }

  /// The argument; null for address zero and for values never reached.
  Value getArgument() const { return argument; }

  bool operator==(const PointerBase &other) const {
    return kind == other.kind && argument == other.argument;
  }
  void print(raw_ostream &os) const;

  static PointerBase join(const PointerBase &lhs, const PointerBase &rhs);

private:
  enum class Kind { Unreached, Argument, Zero };
  PointerBase(Kind kind, Value argument) : kind(kind), argument(argument) {}

  Kind kind = Kind::Unreached;
  Value argument = nullptr;
};

using PointerBaseLattice = dataflow::Lattice<PointerBase>;

class PointerBaseAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<PointerBaseLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const PointerBaseLattice *> operands,
                               ArrayRef<PointerBaseLattice *> results) override;
  void setToEntryState(PointerBaseLattice *lattice) override;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERBASES_H
