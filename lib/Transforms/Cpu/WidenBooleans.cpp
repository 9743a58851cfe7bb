//===- WidenBooleans.cpp - Booleans in memory are bytes -------------------===//
//
// The layout does not change: a memref of booleans has a byte for each anyway.
// Written down, it lets vectors be loaded and stored.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUWIDENBOOLEANS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool holdsBooleans(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType().isInteger(1);
}

Value toByte(OpBuilder &builder, Location loc, Value boolean) {
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), boolean);
}

/// Makes a byte `value` a boolean for all its users. It is compared, not
/// truncated: of bytes that are truncated LLVM makes one vector of all their
/// bits, and has no code for a vector of 128 bits in mask registers.
void showAsBoolean(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, loc, value.getType(), 0);
  auto boolean = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       value, zero);
  value.replaceAllUsesExcept(boolean, boolean);
}

/// The body of `op` reads and yields bytes where its operands hold booleans,
/// given by their numbers.
void widenBody(linalg::LinalgOp op, ArrayRef<unsigned> numbers) {
  Block *body = op.getBlock();
  OpBuilder atStart = OpBuilder::atBlockBegin(body);
  Operation *yield = body->getTerminator();
  OpBuilder atEnd(yield);
  for (unsigned number : numbers) {
    BlockArgument argument = body->getArgument(number);
    argument.setType(atStart.getI8Type());
    if (!argument.use_empty())
      showAsBoolean(atStart, argument);
    if (number < op.getNumDpsInputs())
      continue;
    OpOperand &result = yield->getOpOperand(number - op.getNumDpsInputs());
    result.set(toByte(atEnd, yield->getLoc(), result.get()));
  }
}

/// The operations whose scalars must follow their memrefs, with the numbers of
/// the operands.
using Accesses = SmallVector<std::pair<Operation *, SmallVector<unsigned>>>;

Accesses findAccesses(func::FuncOp function) {
  Accesses accesses;
  function.walk([&](Operation *op) {
    SmallVector<unsigned> numbers;
    for (OpOperand &operand : op->getOpOperands())
      if (holdsBooleans(operand.get().getType()))
        numbers.push_back(operand.getOperandNumber());
    if (!numbers.empty() &&
        isa<memref::LoadOp, memref::StoreOp, linalg::LinalgOp>(op))
      accesses.push_back({op, numbers});
  });
  return accesses;
}

void widenAccess(Operation *access, ArrayRef<unsigned> numbers) {
  OpBuilder builder(access);
  TypeSwitch<Operation *>(access)
      .Case([&](memref::LoadOp load) {
        load.getResult().setType(builder.getI8Type());
        builder.setInsertionPointAfter(load);
        showAsBoolean(builder, load.getResult());
      })
      .Case([&](memref::StoreOp store) {
        store.getValueMutable().set(
            toByte(builder, store.getLoc(), store.getValue()));
      })
      .Case([&](linalg::FillOp fill) {
        fill.getInputsMutable()[0].set(
            toByte(builder, fill.getLoc(), fill.value()));
        for (BlockArgument argument : fill.getBlock()->getArguments())
          argument.setType(builder.getI8Type());
      })
      .Case([&](linalg::LinalgOp op) { widenBody(op, numbers); });
}

struct CpuWidenBooleans
    : triton_shared::impl::CpuWidenBooleansBase<CpuWidenBooleans> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult constants = function.walk([](memref::GetGlobalOp op) {
      return holdsBooleans(op.getType()) ? WalkResult::interrupt()
                                         : WalkResult::advance();
    });
    if (constants.wasInterrupted())
      return; // A global has its own type; its kernel keeps its booleans.
    Accesses accesses = findAccesses(function);
    auto widen = [](Value value) {
      if (holdsBooleans(value.getType()))
        value.setType(cast<MemRefType>(value.getType())
                          .clone(IntegerType::get(value.getContext(), 8)));
    };
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), widen);
      llvm::for_each(op->getResults(), widen);
    });
    for (auto &[access, numbers] : accesses)
      widenAccess(access, numbers);
  }
};

} // namespace
