//===- CauseTracer.h - Causes follow a program ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSETRACER_H
#define TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSETRACER_H

#include "CauseBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// Computes causes beside the values of a kernel, for one way to be wrong: a
/// subclass says which operations cause it, which hand it on, and where it
/// matters. Values that cannot be wrong have no causes.
class CauseTracer {
public:
  /// `kind` is the class of what is found, see docs/check.md.
  CauseTracer(triton::FuncOp kernel, StringRef kind);
  virtual ~CauseTracer() = default;

  void run();

protected:
  /// True if results of `op` may be wrong where its operands are right.
  virtual bool isCause(Operation *op) = 0;
  /// True if what is wrong in this operand is wrong in the results.
  virtual bool handsOn(OpOperand &operand) = 0;
  /// The causes of the results of `op`, one for each; null for none.
  virtual SmallVector<Value> trace(Operation *op) = 0;
  /// Notes what is wrong in operands of `op`, before it, where that matters.
  virtual void report(Operation *op) = 0;

  /// The causes of a value; null if it has none.
  Value get(Value value) const { return causes.lookup(value); }
  SmallVector<Value> getAll(ValueRange values) const;
  /// The number of `op`, which is a cause.
  int32_t numberOf(Operation *op) const { return numbers.lookup(op); }
  /// Causes that are handed on element by element, or by views.
  SmallVector<Value> traceElements(Operation *op);

  /// A note at `at`, the operation that shows what is wrong, about elements of
  /// `found`, causes, that take part by `mask`, which may be null. A report
  /// shows `values`, if there are any.
  void note(Operation *at, Value found, Value mask, Value values = nullptr);

  /// A note at a store that elements of `found`, causes, go to memory with what
  /// is stored.
  void noteStored(triton::StoreOp store, Value found);

  CauseBuilder build(Operation *op) {
    return CauseBuilder(builder, op->getLoc());
  }

  triton::FuncOp kernel;
  OpBuilder builder;

private:
  void number();
  void mark();
  bool markResults(Operation *op);
  bool isMarked(Value value) const { return marked.contains(value); }
  void visit(Block &block);
  void visitBranch(scf::IfOp op);
  void visitLoop(scf::ForOp op);
  void visitLoop(scf::WhileOp op);
  SmallVector<unsigned> listMarked(ValueRange values) const;
  Value getOrZero(Value value, Location loc);
  void addArguments(Block *block, ArrayRef<unsigned> which, unsigned lead);
  void addOperands(Operation *terminator, ArrayRef<unsigned> which,
                   unsigned lead);
  void replace(Operation *op, Operation *made, ArrayRef<unsigned> which);

  StringRef kind;
  DenseMap<Value, Value> causes;
  DenseSet<Value> marked;
  llvm::MapVector<Operation *, int32_t> numbers;
  std::string causesText;
};

/// What a note says of `op`: JSON of its operation, type, place and variable.
llvm::json::Object describeOperation(Operation *op);

/// A note about `found`, causes of which `list` is the list, JSON: empty if the
/// site itself is to blame. `site` is completed.
void createNote(OpBuilder &builder, Location loc, llvm::json::Object site,
                StringRef list, Value found, Value values);

/// The number of a parameter of the kernel as a launch counts them: each part
/// of a descriptor is one.
unsigned getWrittenNumber(BlockArgument parameter);

/// That of the parameter that a pointer begins at; nothing if there is not one
/// alone.
std::optional<unsigned> findWrittenParameter(Value pointer);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSETRACER_H
