//===- NotFiniteValues.cpp - Where NaN and infinity begin -----------------===//
//
// To blame is the first operation that makes an infinite number of finite ones,
// or no number of numbers. Nothing is said as long as nobody stores it: a
// sigmoid may overflow, and `tl.where` drops what it does not need.
//
//===----------------------------------------------------------------------===//

#include "CauseTracer.h"
#include "CheckValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// True for floats, or blocks of them, that may be infinite.
bool mayBeInfinite(Type type) {
  Type element = getElementTypeOrSelf(type);
  return hasElements(type) && (element.isF16() || element.isBF16() ||
                               element.isF32() || element.isF64());
}

/// True for operations that give back an operand, or the same number with
/// another sign or in a wider type.
bool picks(Operation *op) {
  return isa<arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp, arith::ExtFOp,
             math::AbsFOp, math::FloorOp, math::CeilOp, tt::BitcastOp,
             tt::ClampFOp, tt::GatherOp>(op);
}

/// The same for a reduction or a scan: nothing in its region makes a float.
bool picksOnly(Operation *op) {
  return isa<tt::ReduceOp, tt::ScanOp>(op) &&
         llvm::all_of(op->getRegion(0).front(), [](Operation &inner) {
           return picks(&inner) ||
                  llvm::none_of(inner.getResultTypes(), mayBeInfinite);
         });
}

/// Ranks of floats of all types: infinity has this one, numbers have smaller
/// ones, and what is no number has larger ones. They are magnitudes of f32.
constexpr int32_t kInfinity = 0x7f800000;

class FiniteTracer : public CauseTracer {
public:
  explicit FiniteTracer(tt::FuncOp kernel)
      : CauseTracer(kernel, "not-finite") {}

protected:
  bool isCause(Operation *op) override {
    return op->getNumResults() == 1 &&
           mayBeInfinite(op->getResult(0).getType()) &&
           !op->hasTrait<OpTrait::ConstantLike>() && isMemoryEffectFree(op) &&
           !op->use_empty() && !movesElements(op) && !picks(op) &&
           !picksOnly(op);
  }

  bool handsOn(OpOperand &operand) override {
    Operation *op = operand.getOwner();
    return isMemoryEffectFree(op) && mayBeInfinite(operand.get().getType());
  }

  SmallVector<Value> trace(Operation *op) override {
    SmallVector<Value> found(op->getNumResults());
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return {build(op).select(select.getCondition(),
                               get(select.getTrueValue()),
                               get(select.getFalseValue()))};
    found = traceOperands(op);
    if (int32_t number = numberOf(op))
      found[0] = blame(op, number, found[0]);
    return found;
  }

  void report(Operation *op) override {
    Value value, mask;
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      value = store.getValue();
      mask = store.getMask();
    } else if (auto update = dyn_cast<tt::AtomicRMWOp>(op)) {
      value = update.getVal();
      mask = update.getMask();
    }
    if (!value || !get(value) || !mayBeInfinite(value.getType()))
      return;
    CauseBuilder causes = build(op);
    Value isWrong = isAbove(op, rankOf(op, value), kInfinity - 1);
    note(op, causes.select(isWrong, get(value), nullptr), mask, value);
  }

private:
  /// The causes of operands, for each element of the results.
  SmallVector<Value> traceOperands(Operation *op) {
    CauseBuilder causes = build(op);
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      Value all = mergeAll(op);
      all = all ? causes.largest(all, reduce.getAxis()) : nullptr;
      return SmallVector<Value>(op->getNumResults(), all);
    }
    if (auto scan = dyn_cast<tt::ScanOp>(op)) {
      Value all = mergeAll(op);
      all = all ? causes.largestBefore(all, scan.getAxis(), scan.getReverse())
                : nullptr;
      return SmallVector<Value>(op->getNumResults(), all);
    }
    if (auto dot = dyn_cast<tt::DotOp>(op))
      return {traceDot(dot)};
    return traceElements(op);
  }

  Value mergeAll(Operation *op) {
    Value all;
    for (Value operand : op->getOperands())
      if (mayBeInfinite(operand.getType()))
        all = build(op).merge(all, get(operand));
    return all;
  }

  Value traceDot(tt::DotOp op) {
    CauseBuilder causes = build(op);
    int32_t last = op.getType().getRank() - 1;
    Value found = get(op.getC());
    auto along = [&](Value operand, int32_t axis) {
      if (Value cause = get(operand))
        found = causes.merge(found, causes.expand(causes.largest(cause, axis),
                                                  axis, op.getType()));
    };
    along(op.getA(), last);
    along(op.getB(), last - 1);
    return found;
  }

  /// `number` where the result is worse than all operands; elsewhere what the
  /// operands have.
  Value blame(Operation *op, int32_t number, Value handedOn) {
    CauseBuilder causes = build(op);
    Value result = op->getResult(0);
    Value rank = arith::MinSIOp::create(
        builder, op->getLoc(), rankOf(op, result),
        causes.constant(result.getType(), kInfinity + 1));
    Value isWorse =
        arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::sgt,
                              rank, worstOperand(op));
    Value own = causes.constant(result.getType(), number);
    return causes.select(isWorse, own, handedOn);
  }

  /// The highest rank of the operands that an element of the result is made of,
  /// at least the one below infinity.
  Value worstOperand(Operation *op) {
    CauseBuilder causes = build(op);
    Type like = op->getResult(0).getType();
    Value worst = causes.constant(like, kInfinity - 1);
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (!mayBeInfinite(operand.getType()))
        continue;
      Value rank = rankOf(op, operand);
      if (auto reduce = dyn_cast<tt::ReduceOp>(op))
        rank = causes.largest(rank, reduce.getAxis());
      else if (auto scan = dyn_cast<tt::ScanOp>(op))
        rank = causes.largestBefore(rank, scan.getAxis(), scan.getReverse());
      else if (isa<tt::DotOp>(op) && index < 2) {
        auto block = cast<RankedTensorType>(like);
        int32_t axis = block.getRank() - 1 - static_cast<int32_t>(index);
        rank = causes.expand(causes.largest(rank, axis), axis, block);
      }
      if (rank.getType() == causes.typeFor(like))
        worst = causes.merge(worst, rank);
    }
    return worst;
  }

  Value number(Operation *op, Type type, const APInt &value) {
    TypedAttr attribute =
        builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto block = dyn_cast<RankedTensorType>(type))
      attribute = DenseElementsAttr::get(block, Attribute(attribute));
    return arith::ConstantOp::create(builder, op->getLoc(), attribute);
  }

  Value isAbove(Operation *op, Value value, const APInt &limit) {
    return arith::CmpIOp::create(builder, op->getLoc(),
                                 arith::CmpIPredicate::sgt, value,
                                 number(op, value.getType(), limit));
  }
  Value isAbove(Operation *op, Value rank, int32_t limit) {
    return isAbove(op, rank, APInt(32, limit));
  }

  /// The rank of each element, an i32.
  Value rankOf(Operation *op, Value value) {
    Location loc = op->getLoc();
    auto type = cast<FloatType>(getElementTypeOrSelf(value.getType()));
    unsigned width = type.getIntOrFloatBitWidth();
    APInt infinity = APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
    Type integer = withElement(value.getType(), builder.getIntegerType(width));
    Value bits = tt::BitcastOp::create(builder, loc, integer, value);
    Value magnitude = arith::AndIOp::create(
        builder, loc, bits,
        number(op, integer, APInt::getSignedMaxValue(width)));
    CauseBuilder causes = build(op);
    if (width == 32)
      return magnitude;
    Type ranks = causes.typeFor(value.getType());
    if (width > 32) {
      Value rank =
          causes.where(isAbove(op, magnitude, infinity - 1), kInfinity);
      return causes.select(isAbove(op, magnitude, infinity),
                           causes.constant(value.getType(), kInfinity + 1),
                           rank);
    }
    APInt distance(32, kInfinity - infinity.getZExtValue());
    return arith::AddIOp::create(
        builder, loc, arith::ExtUIOp::create(builder, loc, ranks, magnitude),
        number(op, ranks, distance));
  }
};

} // namespace

void triton_shared::noteNotFiniteValues(tt::FuncOp kernel) {
  FiniteTracer(kernel).run();
}
