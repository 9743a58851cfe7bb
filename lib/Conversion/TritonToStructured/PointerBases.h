//===- PointerBases.h - Where a pointer starts and what it counts -*- C++ -*-=//
//
// A forward dataflow analysis. It answers for every pointer, scalar or block,
// whether all that may reach it starts at one scalar pointer, and by which
// steps it got from there.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERBASES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERBASES_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace mlir::triton_shared {

/// Where a pointer starts, and a power of two that divides its distance from
/// there.
///
/// It starts at a scalar pointer whose address is a number anyway, or at
/// address zero. Such scalars are the arguments of the kernel, integers that
/// became pointers, pointers read from memory, and casts to wider elements: an
/// address that is a multiple of these says nothing about its distance from
/// where the pointer cast had started.
class PointerBase {
public:
  /// Nothing is known yet, or the value is never reached.
  PointerBase() = default;
  /// The pointer `start` itself.
  static PointerBase startingAt(Value start) {
    return PointerBase(Kind::Start, start, 0);
  }
  /// A pointer whose address is a multiple of `step` bytes; of any number of
  /// them if that is 0.
  static PointerBase addressZero(int64_t step) {
    return PointerBase(Kind::Zero, nullptr, step);
  }

  /// The scalar pointer; null for address zero and for values never reached.
  Value getStart() const { return start; }

  /// In how many bytes the distance of a pointer to elements of `elementBytes`
  /// is counted: those of an element unless it may be no multiple of them.
  int64_t getUnit(int64_t elementBytes) const;

  /// What is any number of elements of `elementBytes` further.
  PointerBase movedBy(int64_t elementBytes) const;

  bool operator==(const PointerBase &other) const {
    return kind == other.kind && start == other.start && step == other.step;
  }
  void print(raw_ostream &os) const;

  static PointerBase join(const PointerBase &lhs, const PointerBase &rhs);

private:
  enum class Kind { Unreached, Start, Zero };
  PointerBase(Kind kind, Value start, int64_t step)
      : kind(kind), start(start), step(step) {}

  /// What is known to divide the address in bytes; 0 if everything does.
  int64_t getAddressStep() const;

  Kind kind = Kind::Unreached;
  Value start = nullptr;
  /// In bytes; 0 as long as the pointer is where it started.
  int64_t step = 0;
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
