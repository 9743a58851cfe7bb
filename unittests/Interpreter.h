//===- Interpreter.h - Runs small functions on integers ---------*- C++ -*-===//
//
// What a function means, said a second time and as plainly as possible: tests
// compare what the compiler believes about indices with what they are.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_UNITTESTS_INTERPRETER_H
#define TRITON_SHARED_UNITTESTS_INTERPRETER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::triton_shared {

/// The elements of a tensor in row-major order, or one number; booleans are 0
/// and 1, other integers are signed.
using Elements = std::vector<int64_t>;

/// One access of a block: for each element its address, or nothing if it takes
/// no part.
struct TracedAccess {
  std::vector<std::optional<int64_t>> addresses;
  Elements stored; ///< The values that are stored; empty for a load.

  bool operator==(const TracedAccess &other) const {
    return addresses == other.addresses && stored == other.stored;
  }
};

class Interpreter {
public:
  /// Runs a function; pointer arguments are addresses. The operations that
  /// follow a program id see `programIds`.
  Interpreter(Operation *function, ArrayRef<int64_t> arguments,
              int64_t programId);

  /// The last value that `value` had.
  const Elements &get(Value value) const;

  /// What each element had when it was read or written, in program order.
  std::vector<TracedAccess> trace;

private:
  void run(Block &block);
  void run(Operation *op);
  void runStructured(Operation *op);
  void runAccess(tts::AccessOpInterface op);
  bool runLoop(Operation *op);
  int64_t compute(Operation *op, ArrayRef<int64_t> operands);
  void pass(ValueRange from, ValueRange to);
  int64_t getScalar(Value value) const { return get(value).front(); }
  void finishAccess(tts::AccessOpInterface op, TracedAccess access);

  DenseMap<Value, Elements> values;
  int64_t programId;
};

/// The index of each dimension for the element at `position`.
SmallVector<int64_t> getPlace(int64_t position, ArrayRef<int64_t> shape);

/// A context with the dialects that the tests use.
void loadDialects(MLIRContext &context);

/// `tt.func @f(%p: !tt.ptr<i32>, %a: i32, %b: i32, %n: i32)` with `body`.
OwningOpRef<ModuleOp> parseKernel(MLIRContext &context,
                                  const std::string &body);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_UNITTESTS_INTERPRETER_H
