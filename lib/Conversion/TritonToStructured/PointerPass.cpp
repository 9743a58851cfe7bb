//===- PointerPass.cpp - Pointers become a base and an offset -------------===//
//
// One walk in program order. When it reaches an operation, the offsets of its
// pointer operands are known; operations that move pointers are repeated on
// offsets, accesses become `tts`, and values carried by scf change their type
// in place. Converting between bases happens where a pointer meets another:
// at selects, loop starts and yields.
//
//===----------------------------------------------------------------------===//

#include "PointerBases.h"
#include "PointerOffsets.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/PointerHints.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONPOINTERSTOSTRUCTURED
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// Rewrites one function; see the file's header.
class PointerRewriter {
public:
  PointerRewriter(tt::FuncOp function, DataFlowSolver &solver)
      : function(function), offsets(function, solver) {}

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("has unstructured control flow").attachNote()
             << "run triton-structure-control-flow before";
    for (BlockArgument argument : function.getArguments()) {
      if (isScalarPointer(argument.getType()))
        offsets.setArgument(argument);
      else if (isPointerLike(argument.getType()))
        return refuseArgument(argument);
    }
    if (failed(rewriteBlock(function.getBody().front())))
      return failure();
    for (auto [integer, address] : llvm::reverse(integers))
      integer.replaceAllUsesWith(address);
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    return success();
  }

private:
  LogicalResult rewriteBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(rewrite(&op)))
        return failure();
    return success();
  }

  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteRegions(Operation *op);
  LogicalResult rewriteYield(Operation *op, ValueRange operands,
                             ValueRange successors, unsigned firstOperand);
  LogicalResult refuse(Operation *op);
  LogicalResult refuseArgument(BlockArgument argument);

  /// True for an operand or result that is, or was, a pointer.
  bool touchesPointers(Operation *op) const {
    auto isPointer = [&](Value value) { return offsets.isPointer(value); };
    return llvm::any_of(op->getOperands(), isPointer) ||
           llvm::any_of(op->getResults(), isPointer);
  }

  void rewriteAddPtr(tt::AddPtrOp op);
  void rewriteMove(Operation *op);
  void rewriteBitcast(tt::BitcastOp op);
  void rewriteIntToPtr(tt::IntToPtrOp op);
  void rewritePtrToInt(tt::PtrToIntOp op);
  LogicalResult rewriteAccess(Operation *op);
  LogicalResult rewriteStructuredAccess(tts::AccessOpInterface access);

  tt::FuncOp function;
  PointerOffsets offsets;
  SmallVector<Operation *> replaced;
  /// What pointers gave as integers, and their addresses. An address may be a
  /// carried pointer that has changed its type, so who uses the integer sees it
  /// only when the walk is over.
  SmallVector<std::pair<Value, Value>> integers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

LogicalResult PointerRewriter::rewrite(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
          scf::ExecuteRegionOp>(op))
    return rewriteRegions(op);
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    ValueRange successors = parent->getResults();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      successors = loop.getRegionIterArgs();
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      successors = loop.getBeforeArguments();
    return rewriteYield(op, op->getOperands(), successors, 0);
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return rewriteYield(
        op, condition.getArgs(),
        cast<scf::WhileOp>(op->getParentOp()).getAfterArguments(), 1);

  if (touchesPointers(op)) {
    bool handled =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case([&](tt::AddPtrOp op) { return rewriteAddPtr(op), true; })
            .Case([&](tt::BitcastOp op) { return rewriteBitcast(op), true; })
            .Case([&](tt::IntToPtrOp op) { return rewriteIntToPtr(op), true; })
            .Case([&](tt::PtrToIntOp op) { return rewritePtrToInt(op), true; })
            .Case<tt::SplatOp, tt::UnsplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
                  tt::ReshapeOp, tt::TransOp, tt::JoinOp, tt::SplitOp,
                  tt::CatOp, tt::GatherOp, arith::SelectOp, ub::PoisonOp>(
                [&](Operation *op) { return rewriteMove(op), true; })
            .Default(false);
    if (handled) {
      replaced.push_back(op);
      return success();
    }
    if (auto access = dyn_cast<tts::AccessOpInterface>(op))
      return rewriteStructuredAccess(access);
    return rewriteAccess(op);
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(rewriteBlock(block)))
        return failure();
  return success();
}

LogicalResult PointerRewriter::refuse(Operation *op) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("uses a pointer in a way that is not supported");
  for (Value operand : op->getOperands())
    if (offsets.isPointer(operand))
      diagnostic.attachNote(operand.getLoc()) << "the pointer comes from here";
  diagnostic.attachNote(op->getLoc())
      << "convert the pointer to an integer before, and back after";
  return diagnostic;
}

LogicalResult PointerRewriter::refuseArgument(BlockArgument argument) {
  InFlightDiagnostic diagnostic =
      function.emitOpError("has a block of pointers as argument ")
      << argument.getArgNumber() << ", " << argument.getType();
  diagnostic.attachNote(argument.getLoc())
      << "a kernel is launched with scalars, and starts at their pointers";
  diagnostic.attachNote(function.getLoc())
      << "pass the pointer that the block is made of, and add its offsets in "
         "the function";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Values that scf carries keep their place and change their type: whoever
/// passes something to them converts it (rewriteYield, and the starts of loops
/// here).
LogicalResult PointerRewriter::rewriteRegions(Operation *op) {
  OpBuilder builder(op);
  auto convertStarts = [&](MutableOperandRange starts, ValueRange carried) {
    for (auto [start, value] : llvm::zip_equal(starts, carried))
      if (offsets.isPointer(start.get()))
        start.set(offsets.getAs(builder, op->getLoc(), start.get(), value));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    convertStarts(loop.getInitArgsMutable(), loop.getRegionIterArgs());
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    convertStarts(loop.getInitsMutable(), loop.getBeforeArguments());

  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        offsets.convertInPlace(argument);
  for (Value result : op->getResults())
    offsets.convertInPlace(result);

  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(rewriteBlock(block)))
        return failure();
  return success();
}

LogicalResult PointerRewriter::rewriteYield(Operation *op, ValueRange operands,
                                            ValueRange successors,
                                            unsigned firstOperand) {
  if (operands.size() != successors.size())
    return touchesPointers(op) ? refuse(op) : success();
  OpBuilder builder(op);
  SmallVector<Value> converted;
  for (auto [operand, successor] : llvm::zip_equal(operands, successors))
    converted.push_back(
        offsets.isPointer(operand)
            ? offsets.getAs(builder, op->getLoc(), operand, successor)
            : operand);
  for (auto [i, value] : llvm::enumerate(converted))
    op->setOperand(firstOperand + i, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations that make and move pointers
//===----------------------------------------------------------------------===//

void PointerRewriter::rewriteAddPtr(tt::AddPtrOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value start = offsets.getAs(builder, loc, op.getPtr(), op);
  Value step = tts::extendToI64(builder, loc, op.getOffset());
  step = rescale(builder, loc, step, getElementBytes(op.getType()),
                 offsets.getUnit(op));
  offsets.set(op, isZero(start)
                      ? step
                      : arith::AddIOp::create(builder, loc, start, step));
}

/// Repeats `op`, which moves elements without looking at them, on offsets.
void PointerRewriter::rewriteMove(Operation *op) {
  OpBuilder builder(op);
  if (isa<ub::PoisonOp>(op)) {
    Type type = getOffsetType(op->getResult(0).getType());
    offsets.set(op->getResult(0),
                arith::ConstantOp::create(builder, op->getLoc(),
                                          builder.getZeroAttr(type)));
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        offsets.isPointer(operand)
            ? offsets.getAs(builder, op->getLoc(), operand, op->getResult(0))
            : operand);
  Operation *moved = builder.clone(*op);
  moved->setOperands(operands);
  for (auto [result, offset] :
       llvm::zip_equal(op->getResults(), moved->getResults())) {
    offset.setType(getOffsetType(result.getType()));
    offsets.set(result, offset);
  }
}

void PointerRewriter::rewriteBitcast(tt::BitcastOp op) {
  OpBuilder builder(op);
  if (offsets.isStart(op))
    offsets.setStart(op, offsets.getAddress(builder, op.getLoc(), op.getSrc()));
  else
    offsets.set(op, offsets.getAs(builder, op.getLoc(), op.getSrc(), op));
}

void PointerRewriter::rewriteIntToPtr(tt::IntToPtrOp op) {
  OpBuilder builder(op);
  offsets.setAddress(builder, op.getLoc(), op, op.getSrc());
}

void PointerRewriter::rewritePtrToInt(tt::PtrToIntOp op) {
  OpBuilder builder(op);
  integers.push_back(
      {op, offsets.getAddress(builder, op.getLoc(), op.getSrc())});
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult PointerRewriter::rewriteAccess(Operation *op) {
  OpBuilder builder(op);
  auto makeNumber = [&](OpOperand &operand) {
    bool isPointer = offsets.isPointer(operand.get());
    if (isPointer)
      operand.set(offsets.getAddress(builder, op->getLoc(), operand.get()));
    return isPointer;
  };
  if (auto print = dyn_cast<tt::PrintOp>(op)) {
    SmallVector<int32_t> kinds(print.getIsSigned());
    for (OpOperand &operand : print->getOpOperands())
      if (makeNumber(operand))
        kinds[operand.getOperandNumber()] = tts::PrintOp::kAddress;
    print.setIsSigned(kinds);
    return success();
  }
  auto isPointer = [&](Value result) { return offsets.isPointer(result); };
  if (isa<tt::ElementwiseInlineAsmOp>(op) &&
      llvm::none_of(op->getResults(), isPointer)) {
    for (OpOperand &operand : op->getOpOperands())
      makeNumber(operand);
    return success();
  }
  std::optional<SmallVector<Value>> results = lowerAccess(builder, op, offsets);
  if (!results)
    return refuse(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results)) {
    if (offsets.isPointer(result))
      offsets.setAddress(builder, op->getLoc(), result, value);
    else
      result.replaceAllUsesWith(value);
  }
  replaced.push_back(op);
  return success();
}

/// Accesses that block pointers and descriptors have become start at a scalar
/// pointer, which may have been computed.
LogicalResult
PointerRewriter::rewriteStructuredAccess(tts::AccessOpInterface access) {
  OpBuilder builder(access);
  Location loc = access.getLoc();
  auto [place, start] = offsets.getPlace(builder, loc, access.getBase());
  access.getBaseMutable().set(place);
  if (isZero(start))
    return success();
  Value step = access.getOffset();
  if (access.hasOffsetPerElement())
    start = tt::SplatOp::create(builder, loc, step.getType(), start);
  access.getOffsetMutable().set(
      arith::AddIOp::create(builder, loc, start, step));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct TritonPointersToStructured
    : triton_shared::impl::TritonPointersToStructuredBase<
          TritonPointersToStructured> {
  void runOnOperation() override {
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<PointerBaseAnalysis>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    if (failed(keepHints()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal() &&
          failed(PointerRewriter(function, solver).run()))
        return signalPassFailure();
  }

private:
  /// Writes down at loads what hints on their pointers say, before these are
  /// gone.
  LogicalResult keepHints() {
    SmallVector<tt::LoadOp> loads;
    bool hasHints = false;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<tt::LoadOp>(op);
          load && isa<RankedTensorType>(load.getType()))
        loads.push_back(load);
      hasHints |= isa<tt::AddPtrOp>(op) && op->hasAttr("tt.divisibility");
    });
    if (!hasHints)
      return success();
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return failure();
    for (tt::LoadOp load : loads)
      if (DenseI64ArrayAttr found = findLineAlignment(solver, load.getPtr()))
        load->setAttr(kLineAlignment, found);
    return success();
  }
};

} // namespace
