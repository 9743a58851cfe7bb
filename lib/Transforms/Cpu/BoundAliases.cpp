//===- BoundAliases.cpp - Sets of values that may share a buffer ----------===//
//
// Bufferization asks of each use of a value how it stands with the uses of all
// values that may be the same memory. Branches and loops hand blocks on, and a
// mask may be read anywhere: a thousand uses would be one set, and the time
// would follow the square of its size.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUBOUNDALIASES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuBoundAliases
    : triton_shared::impl::CpuBoundAliasesBase<CpuBoundAliases> {
  using CpuBoundAliasesBase::CpuBoundAliasesBase;

  void runOnOperation() override {
    // Outer operations first: what is nested reads what comes before them.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
        handOnDestinations(destination);
      else if (op->getNumRegions() != 0 && op != getOperation())
        handOnBlocks(op);
    });
    boundReads();
  }

private:
  /// A result lies where its destination does.
  void handOnDestinations(DestinationStyleOpInterface op) {
    for (OpResult result : op->getResults())
      handedOn[result] = handedOn.lookup(op.getTiedOpOperand(result)->get());
  }

  /// The results of a branch or a loop may be any block that it reads.
  void handOnBlocks(Operation *op) {
    if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return;
    unsigned times = 0;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        times = std::max(times, handedOn.lookup(operand));
    });
    for (OpResult result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        handedOn[result] = times + 1;
    if (times + 1 < most)
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (OpResult result : op->getResults())
      if (isa<RankedTensorType>(result.getType()) && !result.use_empty())
        copy(result, builder);
  }

  static Value makeCopy(Value block, OpBuilder &builder) {
    return bufferization::AllocTensorOp::create(
        builder, block.getLoc(), cast<RankedTensorType>(block.getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/block);
  }

  static void copy(Value block, OpBuilder &builder) {
    Value copy = makeCopy(block, builder);
    block.replaceAllUsesExcept(copy, copy.getDefiningOp());
  }

  /// Of a block that is used in many places, those behind the first `uses` get
  /// a copy, those behind the first `uses` of that a copy of it, and so on.
  void boundReads() {
    SmallVector<OpOperand *> operands;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()))
          operands.push_back(&operand);
    });
    llvm::DenseMap<Value, Reads> reads;
    for (OpOperand *operand : operands) {
      Value block = operand->get();
      Reads &known = reads.try_emplace(block, Reads{block, 0}).first->second;
      if (known.count++ == uses) {
        // Where all that comes later sees it.
        OpBuilder builder(block.getParentBlock()->findAncestorOpInBlock(
            *operand->getOwner()));
        known = {makeCopy(known.block, builder), 1};
      }
      operand->set(known.block);
    }
  }

  /// What stands for a block, and how many uses that has.
  struct Reads {
    Value block;
    unsigned count;
  };

  /// How often a block was handed on.
  llvm::DenseMap<Value, unsigned> handedOn;
};

} // namespace
