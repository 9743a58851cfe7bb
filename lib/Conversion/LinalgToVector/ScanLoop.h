//===- ScanLoop.h - Loops over slices that are scans ------------*- C++ -*-===//
//
// A CPU's code is made of phase `memref`, which may come as text and has
// upstream operations only: `structured-to-memref` has made loops of `tts.scan`
// there. One along the last dimension carries, for each operand, the running
// slice and the result so far:
//
//   %r:2 = scf.for %k = %c1 to %n step %c1
//       iter_args(%sum = %x[0], %out = %empty with %x[0] at 0) {
//     %next = combine(%sum, %x[%k])
//     scf.yield %next, (%out with %next at %k)
//   }
//
// Slices are elements where there is one dimension. In reverse, the loop begins
// at the end, and its place is `n - 1 - k`.
//
// Triton has no access to elements of a block, so only `tt.scan` becomes such a
// loop: how it combines elements is associative by Triton's contract.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_SCANLOOP_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_SCANLOOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::triton_shared {

/// How a scan combines elements. Operations and values are those of the loop.
struct ScanBody {
  /// What stands for an element of the operand of this number.
  using Elements = SmallVector<std::pair<Value, unsigned>>;

  /// Combined so far: the left operands of the scan's region.
  Elements running;
  /// The elements that come in addition: the right ones.
  Elements next;
  /// In their order. They take nothing else but values from outside.
  SmallVector<Operation *> operations;
  /// One per operand.
  SmallVector<Value> results;
};

/// A loop that is a scan, as long as nobody changes it.
class ScanLoop {
public:
  /// Returns none if `loop` is something else.
  static std::optional<ScanLoop> match(scf::ForOp loop);

  scf::ForOp getLoop() const { return loop; }
  /// The size of the operands along the last dimension.
  int64_t getSize() const;
  bool isReverse() const { return reverse; }

  /// The tensors that are scanned, all of one shape.
  SmallVector<Value> getSources() const;
  /// The results of the loop that are those of the scan, in the same order.
  SmallVector<Value> getResults() const;
  ScanBody getBody() const;

private:
  /// One operand of the scan.
  struct Operand {
    Value source;
    /// Numbers of the variables of the loop.
    unsigned running, result;
  };

  explicit ScanLoop(scf::ForOp loop) : loop(loop) {}

  bool matchBounds() const;
  bool matchOperands();
  bool matchBody() const;
  bool isStart(OpFoldResult place) const;
  bool isCurrent(OpFoldResult place) const;
  linalg::GenericOp getGeneric() const;
  std::optional<unsigned> findRunning(Value written) const;
  std::optional<unsigned> findRunningArgument(Value value) const;
  std::optional<unsigned> findNext(Value value) const;
  void addElement(ScanBody &body, Value element, Value slice) const;

  /// Operations have no accessors that are const.
  mutable scf::ForOp loop;
  bool reverse = false;
  SmallVector<Operand> operands;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_SCANLOOP_H
