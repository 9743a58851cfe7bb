//===- PointerOffsets.cpp - The offset of every pointer so far ------------===//

#include "PointerOffsets.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Types and arithmetic
//===----------------------------------------------------------------------===//

bool triton_shared::isPointerLike(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  return pointer && !isa<RankedTensorType>(pointer.getPointeeType());
}

Type triton_shared::getOffsetType(Type pointer) {
  Type i64 = IntegerType::get(pointer.getContext(), 64);
  if (auto block = dyn_cast<RankedTensorType>(pointer))
    return block.clone(i64);
  return i64;
}

Type triton_shared::getMemoryElementType(Type pointer) {
  Type pointee =
      cast<tt::PointerType>(getElementTypeOrSelf(pointer)).getPointeeType();
  if (pointee.isInteger(1))
    return IntegerType::get(pointer.getContext(), 8);
  if (isa<tt::PointerType>(pointee))
    return IntegerType::get(pointer.getContext(), 64);
  return pointee;
}

int64_t triton_shared::getElementBytes(Type pointer) {
  return llvm::divideCeil(getMemoryElementType(pointer).getIntOrFloatBitWidth(),
                          8);
}

bool triton_shared::isZero(Value value) {
  return matchPattern(value, m_Zero());
}

Value triton_shared::splatTo(OpBuilder &builder, Location loc, Type type,
                             Value scalar) {
  if (!isa<RankedTensorType>(type))
    return scalar;
  return tt::SplatOp::create(builder, loc, type, scalar);
}

/// `value << bits`, or `value >> -bits` with sign: offsets may be negative.
static Value shift(OpBuilder &builder, Location loc, Value value, int bits) {
  if (bits == 0 || isZero(value))
    return value;
  Value amount = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(bits > 0 ? bits : -bits));
  amount = splatTo(builder, loc, value.getType(), amount);
  if (bits > 0)
    return arith::ShLIOp::create(builder, loc, value, amount);
  return arith::ShRSIOp::create(builder, loc, value, amount);
}

Value triton_shared::rescale(OpBuilder &builder, Location loc, Value offset,
                             int64_t from, int64_t to) {
  return shift(builder, loc, offset,
               static_cast<int>(llvm::Log2_64(from)) -
                   static_cast<int>(llvm::Log2_64(to)));
}

//===----------------------------------------------------------------------===//
// PointerOffsets
//===----------------------------------------------------------------------===//

PointerOffsets::PointerOffsets(tt::FuncOp function, DataFlowSolver &solver)
    : function(function) {
  auto remember = [&](Value value) {
    if (!isPointerLike(value.getType()))
      return;
    const auto *state = solver.lookupState<PointerBaseLattice>(value);
    known[value] = {state ? state->getValue() : PointerBase(), value.getType()};
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), remember);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), remember);
  });
}

void PointerOffsets::setArgument(BlockArgument argument) {
  OpBuilder builder(function.getBody());
  offsets[argument] = arith::ConstantOp::create(builder, argument.getLoc(),
                                                builder.getI64IntegerAttr(0));
}

void PointerOffsets::convertInPlace(Value value) {
  if (!isPointerLike(value.getType()))
    return;
  value.setType(getOffsetType(value.getType()));
  offsets[value] = value;
}

PointerBase PointerOffsets::getBase(Value pointer) const {
  return known.at(pointer).base;
}

Type PointerOffsets::getType(Value pointer) const {
  return known.at(pointer).type;
}

Value PointerOffsets::get(OpBuilder &builder, Location loc, Value pointer) {
  return offsets.at(pointer);
}

Value PointerOffsets::get(OpBuilder &builder, Location loc, Value pointer,
                          PointerBase base) {
  Value offset = get(builder, loc, pointer);
  Value argument = getBase(pointer).getArgument();
  if (!argument || base.getArgument())
    return offset;
  // From its own argument to address zero, still in elements.
  Value start = rescale(builder, loc, getArgumentAddress(argument), 1,
                        getElementBytes(getType(pointer)));
  start = splatTo(builder, loc, offset.getType(), start);
  return isZero(offset) ? start
                        : arith::AddIOp::create(builder, loc, start, offset);
}

Value PointerOffsets::getAddress(OpBuilder &builder, Location loc,
                                 Value pointer) {
  Value bytes = rescale(builder, loc, get(builder, loc, pointer),
                        getElementBytes(getType(pointer)), 1);
  Value argument = getBase(pointer).getArgument();
  if (!argument)
    return bytes;
  Value start =
      splatTo(builder, loc, bytes.getType(), getArgumentAddress(argument));
  return isZero(bytes) ? start
                       : arith::AddIOp::create(builder, loc, start, bytes);
}

Value PointerOffsets::getArgumentAddress(Value argument) {
  Value &address = addresses[argument];
  if (!address) {
    OpBuilder builder(function.getBody());
    address = tts::ToAddressOp::create(builder, argument.getLoc(),
                                       builder.getI64Type(), argument);
  }
  return address;
}

Value PointerOffsets::getBaseOf(Value pointer) {
  Value argument = getBase(pointer).getArgument();
  Type element = getMemoryElementType(getType(pointer));
  if (argument &&
      cast<tt::PointerType>(argument.getType()).getPointeeType() == element)
    return argument;

  Value &base = bases[{argument, element}];
  if (base)
    return base;
  Value address = argument ? getArgumentAddress(argument) : nullptr;
  OpBuilder builder(function.getBody());
  if (address)
    builder.setInsertionPointAfterValue(address);
  else
    address = arith::ConstantOp::create(builder, function.getLoc(),
                                        builder.getI64IntegerAttr(0));
  base = tts::FromAddressOp::create(builder, address.getLoc(),
                                    tt::PointerType::get(element, 1), address);
  return base;
}
