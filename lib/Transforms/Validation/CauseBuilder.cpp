//===- CauseBuilder.cpp - Arithmetic on causes ----------------------------===//

#include "CauseBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

bool triton_shared::hasElements(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  if (pointer)
    return !isa<RankedTensorType>(pointer.getPointeeType());
  return isa<IntegerType, FloatType, RankedTensorType>(type);
}

Type triton_shared::withElement(Type type, Type element) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? RankedTensorType::get(block.getShape(), element) : element;
}

bool triton_shared::movesElements(Operation *op) {
  return isa<tt::SplatOp, tt::UnsplatOp, tt::ExpandDimsOp, tt::BroadcastOp,
             tt::ReshapeOp, tt::TransOp, tt::CatOp, tt::JoinOp, tt::SplitOp>(
      op);
}

Type CauseBuilder::typeFor(Type type) const {
  return withElement(type, builder.getI32Type());
}

Value CauseBuilder::constant(Type type, int32_t cause) {
  Type causes = typeFor(type);
  TypedAttr number = builder.getI32IntegerAttr(cause);
  if (auto block = dyn_cast<RankedTensorType>(causes))
    number = DenseElementsAttr::get(block, Attribute(number));
  return arith::ConstantOp::create(builder, loc, number);
}

Value CauseBuilder::merge(Value lhs, Value rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs ? lhs : rhs;
  return arith::MaxSIOp::create(builder, loc, lhs, rhs);
}

Value CauseBuilder::select(Value condition, Value cause, Value other) {
  if (!cause && !other)
    return nullptr;
  Type type = (cause ? cause : other).getType();
  return arith::SelectOp::create(builder, loc, condition,
                                 cause ? cause : constant(type, 0),
                                 other ? other : constant(type, 0));
}

Value CauseBuilder::where(Value condition, int32_t cause) {
  return select(condition, constant(condition.getType(), cause), nullptr);
}

Value CauseBuilder::isAny(Value causes) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, causes,
                               constant(causes.getType(), 0));
}

Value CauseBuilder::isNone(Value causes) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, causes,
                               constant(causes.getType(), 0));
}

Value CauseBuilder::logicalAnd(Value lhs, Value rhs) {
  return arith::AndIOp::create(builder, loc, lhs, rhs);
}

Value CauseBuilder::logicalOr(Value lhs, Value rhs) {
  return arith::OrIOp::create(builder, loc, lhs, rhs);
}

Value CauseBuilder::logicalNot(Value condition) {
  TypedAttr yes = builder.getBoolAttr(true);
  if (auto block = dyn_cast<RankedTensorType>(condition.getType()))
    yes = DenseElementsAttr::get(block, Attribute(yes));
  Value all = arith::ConstantOp::create(builder, loc, yes);
  return arith::XOrIOp::create(builder, loc, condition, all);
}

Value CauseBuilder::repeat(Value scalar, Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  if (!block || isa<RankedTensorType>(scalar.getType()))
    return scalar;
  return tt::SplatOp::create(builder, loc, withElement(block, scalar.getType()),
                             scalar);
}

//===----------------------------------------------------------------------===//
// Along a dimension
//===----------------------------------------------------------------------===//

/// The type of a block that was reduced along a dimension.
static Type getReducedType(Type type, int32_t axis) {
  auto block = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(block.getShape());
  shape.erase(shape.begin() + axis);
  if (shape.empty())
    return block.getElementType();
  return RankedTensorType::get(shape, block.getElementType());
}

/// Fills the region of a reduction or a scan.
template <typename Op, typename Return>
static void combine(OpBuilder &builder, Location loc, Region &region) {
  OpBuilder::InsertionGuard guard(builder);
  Type i32 = builder.getI32Type();
  Block *body = builder.createBlock(&region, {}, {i32, i32}, {loc, loc});
  Value both =
      Op::create(builder, loc, body->getArgument(0), body->getArgument(1));
  Return::create(builder, loc, both);
}

template <typename Op> Value CauseBuilder::reduce(Value causes, int32_t axis) {
  auto reduced = tt::ReduceOp::create(
      builder, loc, getReducedType(causes.getType(), axis), causes, axis);
  combine<Op, tt::ReduceReturnOp>(builder, loc, reduced.getCombineOp());
  return reduced.getResult().front();
}

Value CauseBuilder::largest(Value causes, int32_t axis) {
  return reduce<arith::MaxSIOp>(causes, axis);
}

Value CauseBuilder::smallest(Value causes, int32_t axis) {
  return reduce<arith::MinSIOp>(causes, axis);
}

Value CauseBuilder::largestBefore(Value causes, int32_t axis, bool reverse) {
  auto scan =
      tt::ScanOp::create(builder, loc, causes.getType(), causes, axis, reverse);
  combine<arith::MaxSIOp, tt::ScanReturnOp>(builder, loc, scan.getCombineOp());
  return scan.getResult().front();
}

Value CauseBuilder::expand(Value causes, int32_t axis, RankedTensorType like) {
  if (!isa<RankedTensorType>(causes.getType()))
    return repeat(causes, like);
  Value column = tt::ExpandDimsOp::create(builder, loc, causes, axis);
  return tt::BroadcastOp::create(builder, loc, typeFor(like), column);
}

SmallVector<Value> CauseBuilder::mirror(Operation *op, ValueRange causes) {
  if (!llvm::any_of(causes, [](Value value) { return bool(value); }))
    return SmallVector<Value>(op->getNumResults());
  SmallVector<Value> operands;
  for (auto [operand, cause] : llvm::zip_equal(op->getOperands(), causes))
    operands.push_back(cause ? cause : constant(operand.getType(), 0));
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(typeFor(type));
  OperationState state(loc, op->getName(), operands, types);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return SmallVector<Value>(builder.create(state)->getResults());
}
