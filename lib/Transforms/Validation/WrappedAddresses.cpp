//===- WrappedAddresses.cpp - Integers that wrap on the way to an address -===//
//
// Sums, differences, products, left shifts and truncations of less than 64 bits
// that an address is made of. What goes through a bitwise or an unsigned
// operation is a hash or a random number, and wraps on purpose. Integers that
// are stored may become addresses where they are loaded: the runtime knows.
//
//===----------------------------------------------------------------------===//

#include "CauseTracer.h"
#include "CheckValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Analysis/SourcePlaces.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

class WrapTracer : public CauseTracer {
public:
  explicit WrapTracer(tt::FuncOp kernel)
      : CauseTracer(kernel, "wrapped-address") {
    kernel.walk([&](Operation *op) {
      if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp,
              tt::MakeTensorPtrOp, tt::MakeTensorDescOp>(op))
        followBack(op->getOperand(0));
    });
    // What is loaded to form an address may have wrapped before it was stored.
    kernel.walk([&](tt::LoadOp load) {
      if (isInteger(load.getType()) && formAddresses.contains(load.getResult()))
        load->setLoc(markIndex(load.getLoc()));
    });
    kernel.walk([&](tt::StoreOp store) {
      if (isInteger(store.getValue().getType()))
        followBack(store.getValue());
    });
  }

protected:
  bool isCause(Operation *op) override {
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
             arith::TruncIOp>(op) ||
        !formAddresses.contains(op->getResult(0)))
      return false;
    // Bits of a hash are cut off on purpose.
    if (isa<arith::TruncIOp>(op) && isHash(op->getOperand(0)))
      return false;
    unsigned width = getElementTypeOrSelf(op->getResult(0).getType())
                         .getIntOrFloatBitWidth();
    return width > 1 && width < 64;
  }

  bool handsOn(OpOperand &operand) override {
    Operation *op = operand.getOwner();
    if (isa<arith::SelectOp>(op))
      return operand.getOperandNumber() != 0;
    return isPath(op);
  }

  SmallVector<Value> trace(Operation *op) override {
    SmallVector<Value> found = traceElements(op);
    if (int32_t number = numberOf(op)) {
      CauseBuilder causes = build(op);
      found[0] = causes.merge(causes.where(wraps(op), number), found[0]);
    }
    return found;
  }

  void report(Operation *op) override {
    Value mask;
    if (auto load = dyn_cast<tt::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      mask = store.getMask();
    else if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
      mask = update.getMask();
    else if (!isa<tt::AtomicCASOp, tt::MakeTensorPtrOp, tt::MakeTensorDescOp>(
                 op))
      return;
    note(op, get(op->getOperand(0)), mask);
    auto store = dyn_cast<tt::StoreOp>(op);
    if (store && !get(store.getPtr()))
      noteStored(store, get(store.getValue()));
  }

private:
  static bool isInteger(Type type) {
    return getElementTypeOrSelf(type).isIntOrIndex();
  }

  /// True for operations that hand on that an integer has wrapped.
  static bool isPath(Operation *op) {
    return movesElements(op) ||
           isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
               arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp, arith::ExtSIOp,
               arith::ShLIOp, arith::TruncIOp, arith::SelectOp, tt::AddPtrOp>(
               op);
  }

  /// True for what a bitwise or an unsigned operation has made.
  static bool isHash(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && movesElements(op))
      return isHash(op->getOperand(0));
    return op &&
           isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShRUIOp,
               arith::DivUIOp, arith::RemUIOp, arith::ExtUIOp, tt::MulhiUIOp>(
               op);
  }

  /// Notes that all values that `value` is made of form an address.
  void followBack(Value value) {
    if (!formAddresses.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      unsigned number = argument.getArgNumber();
      if (auto loop = dyn_cast<scf::ForOp>(owner)) {
        if (number < loop.getNumInductionVars())
          return;
        followBack(loop.getTiedLoopInit(argument)->get());
        followBack(loop.getTiedLoopYieldedValue(argument)->get());
      } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
        if (argument.getOwner() == loop.getAfterBody())
          return followBack(loop.getConditionOp().getArgs()[number]);
        followBack(loop.getInits()[number]);
        followBack(loop.getYieldOp().getOperand(number));
      }
      return;
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return followBack(loop.getRegionIterArgs()[number]);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return followBack(loop.getConditionOp().getArgs()[number]);
    if (isa<scf::IfOp>(op)) {
      for (Region &region : op->getRegions())
        followBack(region.front().getTerminator()->getOperand(number));
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (handsOn(operand))
        followBack(operand.get());
  }

  /// Where the result is not the one of unlimited integers.
  Value wraps(Operation *op) {
    Location loc = op->getLoc();
    Value lhs = op->getOperand(0), result = op->getResult(0);
    if (isa<arith::TruncIOp>(op))
      return differs(loc, lhs, result);
    Value rhs = op->getOperand(1);
    if (isa<arith::MulIOp>(op))
      return productWraps(loc, lhs, rhs, result);
    if (isa<arith::ShLIOp>(op))
      return shiftWraps(loc, lhs, rhs, result);
    // Signs: a sum has that of one of its operands, a difference that of the
    // first or, turned, of the second.
    auto differ = [&](Value a, Value b) -> Value {
      return arith::XOrIOp::create(builder, loc, a, b);
    };
    Value first = differ(lhs, result);
    Value second = differ(isa<arith::AddIOp>(op) ? rhs : lhs,
                          isa<arith::AddIOp>(op) ? result : rhs);
    Value both = arith::AndIOp::create(builder, loc, first, second);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, both,
                                 zeroOf(loc, both.getType()));
  }

  Value productWraps(Location loc, Value lhs, Value rhs, Value result) {
    Type wide = withElement(result.getType(), builder.getI64Type());
    auto extend = [&](Value value) -> Value {
      return arith::ExtSIOp::create(builder, loc, wide, value);
    };
    return differs(
        loc, arith::MulIOp::create(builder, loc, extend(lhs), extend(rhs)),
        result);
  }

  /// A shift by more than all bits has no result, by as many none that is left.
  Value shiftWraps(Location loc, Value lhs, Value amount, Value result) {
    Type wide = withElement(result.getType(), builder.getI64Type());
    unsigned width =
        getElementTypeOrSelf(result.getType()).getIntOrFloatBitWidth();
    Value most = arith::ConstantOp::create(
        builder, loc, attributeOf(wide, static_cast<int64_t>(width)));
    Value by = arith::MinUIOp::create(
        builder, loc, arith::ExtUIOp::create(builder, loc, wide, amount), most);
    Value number = arith::ExtSIOp::create(builder, loc, wide, lhs);
    return differs(loc, arith::ShLIOp::create(builder, loc, number, by),
                   result);
  }

  /// Where an integer of more bits is another one than `result`.
  Value differs(Location loc, Value more, Value result) {
    Value extended =
        arith::ExtSIOp::create(builder, loc, more.getType(), result);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, more,
                                 extended);
  }

  static TypedAttr attributeOf(Type type, int64_t value) {
    auto single = IntegerAttr::get(getElementTypeOrSelf(type), value);
    if (auto block = dyn_cast<RankedTensorType>(type))
      return SplatElementsAttr::get(block, single);
    return single;
  }

  Value zeroOf(Location loc, Type type) {
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  }

  DenseSet<Value> formAddresses;
};

} // namespace

void triton_shared::noteWrappedAddresses(tt::FuncOp kernel) {
  WrapTracer(kernel).run();
}
