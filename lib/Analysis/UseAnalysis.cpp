//===- UseAnalysis.cpp - What the values of a function are for ------------===//

#include "triton-shared/Analysis/UseAnalysis.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

static Use join(Use lhs, Use rhs) {
  return static_cast<Use>(static_cast<int>(lhs) | static_cast<int>(rhs));
}

namespace {

struct UseState : dataflow::AbstractSparseLattice {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UseState)
  using AbstractSparseLattice::AbstractSparseLattice;

  ChangeResult add(Use more) {
    Use before = use;
    use = ::join(use, more);
    return use == before ? ChangeResult::NoChange : ChangeResult::Change;
  }
  ChangeResult meet(const AbstractSparseLattice &other) override {
    return add(static_cast<const UseState &>(other).use);
  }
  void print(raw_ostream &stream) const override {
    stream << static_cast<int>(use);
  }

  Use use = Use::None;
};

class UseDataFlow : public dataflow::SparseBackwardDataFlowAnalysis<UseState> {
public:
  using SparseBackwardDataFlowAnalysis::SparseBackwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<UseState *> operands,
                               ArrayRef<const UseState *> results) override;

  void visitBranchOperand(OpOperand &operand) override { addData(operand); }
  void visitCallOperand(OpOperand &operand) override { addData(operand); }
  void visitNonControlFlowArguments(RegionSuccessor &,
                                    ArrayRef<BlockArgument>) override {}
  void setToExitState(UseState *state) override { add(state, Use::Data); }
  /// Whoever calls a function may use all of its results.
  LogicalResult visitCallableOperation(
      Operation *, CallableOpInterface,
      ArrayRef<dataflow::AbstractSparseLattice *> operands) override {
    for (dataflow::AbstractSparseLattice *operand : operands)
      setToExitState(static_cast<UseState *>(operand));
    return success();
  }

private:
  void add(UseState *state, Use use) {
    propagateIfChanged(state, state->add(use));
  }
  void addData(OpOperand &operand) {
    add(getLatticeElement(operand.get()), Use::Data);
  }
};

} // namespace

LogicalResult UseDataFlow::visitOperation(Operation *op,
                                          ArrayRef<UseState *> operands,
                                          ArrayRef<const UseState *> results) {
  Use ofResults = Use::None;
  for (const UseState *result : results)
    ofResults = ::join(ofResults, result->use);
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  if (wouldOpBeTriviallyDead(op) && ofResults == Use::None)
    return success();
  bool isPure = isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                !op->hasTrait<OpTrait::IsTerminator>();
  for (auto [operand, state] : llvm::zip_equal(op->getOperands(), operands)) {
    Use use = isPure ? ofResults : Use::Data;
    if (access && !access.isData(operand))
      use = Use::Meta;
    add(state, use);
  }
  return success();
}

UseAnalysis::UseAnalysis(Operation *function)
    : solver(DataFlowConfig().setInterprocedural(false)) {
  SymbolTableCollection symbols;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<UseDataFlow>(symbols);
  // Without an answer of the solver nothing is known to be unused.
  isSolved = succeeded(solver.initializeAndRun(function));
}

Use UseAnalysis::getUse(Value value) const {
  if (!isSolved)
    return Use::Mixed;
  const auto *state = solver.lookupState<UseState>(value);
  return state ? state->use : Use::None;
}
