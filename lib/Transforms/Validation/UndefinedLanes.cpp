//===- UndefinedLanes.cpp - What a masked load has not read ---------------===//
//
// A lane that a load has not read, for want of `other`, may hold anything. It
// may be computed with as long as nobody stores it, branches on it, forms an
// address of it, or adds it to lanes that are defined. What consists of such
// lanes alone is one again: the sum of a row that is masked as a whole.
//
//===----------------------------------------------------------------------===//

#include "CauseTracer.h"
#include "CheckValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// The operands of a block access that lanes take part by.
struct Access {
  Value pointers, mask;
  SmallVector<Value> stored;
};

std::optional<Access> getAccess(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return Access{load.getPtr(), load.getMask(), {}};
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return Access{store.getPtr(), store.getMask(), {store.getValue()}};
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return Access{update.getPtr(), update.getMask(), {update.getVal()}};
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return Access{swap.getPtr(), nullptr, {swap.getCmp(), swap.getVal()}};
  return std::nullopt;
}

class UndefinedTracer : public CauseTracer {
public:
  explicit UndefinedTracer(tt::FuncOp kernel)
      : CauseTracer(kernel, "undefined-lanes") {}

protected:
  bool isCause(Operation *op) override {
    std::optional<Access> access = getAccess(op);
    if (!access || op->getNumResults() == 0 || op->use_empty() ||
        !access->mask || matchPattern(access->mask, m_One()))
      return false;
    auto load = dyn_cast<tt::LoadOp>(op);
    return !load || !load.getOther();
  }

  bool handsOn(OpOperand &operand) override {
    Operation *op = operand.getOwner();
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return load.getOther() && operand.get() == load.getOther() &&
             operand.get() != load.getPtr() && operand.get() != load.getMask();
    return isMemoryEffectFree(op);
  }

  SmallVector<Value> trace(Operation *op) override {
    CauseBuilder causes = build(op);
    if (std::optional<Access> access = getAccess(op))
      return {traceAccess(op, *access)};
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return {causes.merge(causes.select(select.getCondition(),
                                         get(select.getTrueValue()),
                                         get(select.getFalseValue())),
                           spread(op, get(select.getCondition())))};
    if (isa<arith::AndIOp, arith::OrIOp>(op) &&
        getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
      return {traceLogical(op)};
    if (auto reduce = dyn_cast<tt::ReduceOp>(op))
      return traceReduction(reduce);
    if (auto scan = dyn_cast<tt::ScanOp>(op)) {
      Value found = mergeAll(op);
      if (found)
        found = causes.largestBefore(found, scan.getAxis(), scan.getReverse());
      return SmallVector<Value>(op->getNumResults(), found);
    }
    if (auto dot = dyn_cast<tt::DotOp>(op))
      return {traceDot(dot)};
    if (auto gather = dyn_cast<tt::GatherOp>(op))
      return {traceGather(gather)};
    return traceElements(op);
  }

  void report(Operation *op) override {
    if (std::optional<Access> access = getAccess(op)) {
      CauseBuilder causes = build(op);
      Value found = get(access->pointers);
      for (Value stored : access->stored)
        found = causes.merge(found, get(stored));
      note(op, found, access->mask);
      if (access->mask)
        note(op, get(access->mask), nullptr);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      note(op, get(branch.getCondition()), nullptr);
    } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      note(op, get(condition.getCondition()), nullptr);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        note(op, get(bound), nullptr);
    } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      reportMixed(op, mergeAll(op), reduce.getAxis());
    } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
      int32_t last = dot.getType().getRank() - 1;
      reportMixed(op, get(dot.getA()), last);
      reportMixed(op, get(dot.getB()), last - 1);
    }
  }

private:
  /// A scalar's cause for each element of the result of `op`.
  Value spread(Operation *op, Value cause) {
    return cause ? build(op).repeat(cause, op->getResult(0).getType())
                 : nullptr;
  }

  Value mergeAll(Operation *op) {
    Value all;
    for (Value operand : op->getOperands())
      all = build(op).merge(all, get(operand));
    return all;
  }

  Value traceAccess(Operation *op, const Access &access) {
    CauseBuilder causes = build(op);
    Type type = op->getResult(0).getType();
    auto load = dyn_cast<tt::LoadOp>(op);
    Value missing = load && load.getOther()
                        ? get(load.getOther())
                        : causes.constant(type, numberOf(op));
    if (!missing)
      return nullptr;
    return causes.select(causes.repeat(access.mask, type), nullptr, missing);
  }

  /// What is false and whatever else is false.
  Value traceLogical(Operation *op) {
    CauseBuilder causes = build(op);
    auto decides = [&](Value value, Value cause) {
      Value holds = isa<arith::AndIOp>(op) ? causes.logicalNot(value) : value;
      return cause ? causes.logicalAnd(holds, causes.isNone(cause)) : holds;
    };
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    Value first = get(lhs), second = get(rhs);
    // Only what is defined decides, and nothing is left of the other one.
    Value left =
        first ? causes.select(decides(rhs, second), nullptr, first) : nullptr;
    Value right =
        second ? causes.select(decides(lhs, first), nullptr, second) : nullptr;
    return causes.merge(left, right);
  }

  /// Where some elements along a dimension are undefined and others are not.
  void reportMixed(Operation *op, Value found, int32_t axis) {
    if (!found)
      return;
    CauseBuilder causes = build(op);
    Value isMixed = causes.isNone(causes.smallest(found, axis));
    note(op, causes.largest(found, axis), isMixed);
  }

  /// What is mixed has been reported, and is none that matters any more.
  SmallVector<Value> traceReduction(tt::ReduceOp op) {
    Value all = mergeAll(op);
    if (all)
      all = build(op).smallest(all, op.getAxis());
    return SmallVector<Value>(op->getNumResults(), all);
  }

  Value traceDot(tt::DotOp op) {
    CauseBuilder causes = build(op);
    RankedTensorType type = op.getType();
    int32_t last = type.getRank() - 1;
    Value found = get(op.getC());
    auto along = [&](Value operand, int32_t axis) {
      if (Value cause = get(operand))
        found = causes.merge(
            found, causes.expand(causes.smallest(cause, axis), axis, type));
    };
    along(op.getA(), last);
    along(op.getB(), last - 1);
    return found;
  }

  Value traceGather(tt::GatherOp op) {
    CauseBuilder causes = build(op);
    Value picked;
    if (Value cause = get(op.getSrc()))
      picked = tt::GatherOp::create(builder, op.getLoc(),
                                    causes.typeFor(op.getType()), cause,
                                    op.getIndices(), op.getAxis());
    return causes.merge(picked, get(op.getIndices()));
  }
};

} // namespace

void triton_shared::noteUndefinedLanes(tt::FuncOp kernel) {
  UndefinedTracer(kernel).run();
}
