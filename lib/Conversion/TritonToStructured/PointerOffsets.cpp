//===- PointerOffsets.cpp - The offset of every pointer so far ------------===//

#include "PointerOffsets.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

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

/// What `value` starts at has to be there before it: not every value that
/// leaves a region starts at one that is known outside of it.
static PointerBase getVisibleBase(PointerBase base, Value value,
                                  const DominanceInfo &dominance) {
  Value start = base.getStart();
  if (!start || start == value)
    return base;
  Operation *user = value.getDefiningOp();
  if (!user)
    user = value.getParentBlock()->getParentOp();
  return dominance.properlyDominates(start, user) ? base
                                                  : PointerBase::addressZero(1);
}

PointerOffsets::PointerOffsets(tt::FuncOp function, DataFlowSolver &solver)
    : function(function) {
  DominanceInfo dominance(function);
  auto remember = [&](Value value) {
    if (!isPointerLike(value.getType()))
      return;
    const auto *state = solver.lookupState<PointerBaseLattice>(value);
    PointerBase base = state ? state->getValue() : PointerBase();
    known[value] = {getVisibleBase(base, value, dominance), value.getType()};
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), remember);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), remember);
  });
}

void PointerOffsets::setStart(Value pointer, Value address) {
  OpBuilder builder(pointer.getContext());
  builder.setInsertionPointAfterValue(address);
  addresses[pointer] = address;
  offsets[pointer] = arith::ConstantOp::create(builder, pointer.getLoc(),
                                               builder.getI64IntegerAttr(0));
}

void PointerOffsets::setArgument(BlockArgument argument) {
  OpBuilder builder(function.getBody());
  offsets[argument] = arith::ConstantOp::create(builder, argument.getLoc(),
                                                builder.getI64IntegerAttr(0));
}

void PointerOffsets::setAddress(OpBuilder &builder, Location loc, Value pointer,
                                Value address) {
  if (isStart(pointer))
    return setStart(pointer, address);
  // Not counted from another start, so this is address zero.
  set(pointer, rescale(builder, loc, address, 1, getUnit(pointer)));
}

void PointerOffsets::convertInPlace(Value value) {
  if (!isPointerLike(value.getType()))
    return;
  value.setType(getOffsetType(value.getType()));
  offsets[value] = value;
}

bool PointerOffsets::isStart(Value pointer) const {
  return known.at(pointer).base.getStart() == pointer;
}

Type PointerOffsets::getType(Value pointer) const {
  return known.at(pointer).type;
}

int64_t PointerOffsets::getUnit(Value pointer) const {
  const Known &pointee = known.at(pointer);
  return pointee.base.getUnit(getElementBytes(pointee.type));
}

Value PointerOffsets::get(OpBuilder &builder, Location loc, Value pointer,
                          int64_t bytes) {
  return rescale(builder, loc, offsets.at(pointer), getUnit(pointer), bytes);
}

Value PointerOffsets::getAs(OpBuilder &builder, Location loc, Value pointer,
                            Value target) {
  int64_t unit = getUnit(target);
  Value offset = get(builder, loc, pointer, unit);
  Value start = known.at(pointer).base.getStart();
  if (!start || start == known.at(target).base.getStart())
    return offset;
  // From its own start to address zero.
  Value distance = rescale(builder, loc, getStartAddress(start), 1, unit);
  distance = splatTo(builder, loc, offset.getType(), distance);
  return isZero(offset) ? distance
                        : arith::AddIOp::create(builder, loc, distance, offset);
}

Value PointerOffsets::getAddress(OpBuilder &builder, Location loc,
                                 Value pointer) {
  Value bytes = get(builder, loc, pointer, 1);
  Value start = known.at(pointer).base.getStart();
  if (!start)
    return bytes;
  Value address =
      splatTo(builder, loc, bytes.getType(), getStartAddress(start));
  return isZero(bytes) ? address
                       : arith::AddIOp::create(builder, loc, address, bytes);
}

Value PointerOffsets::getStartAddress(Value start) {
  Value &address = addresses[start];
  if (!address) {
    OpBuilder builder(function.getBody());
    address = tts::ToAddressOp::create(builder, start.getLoc(),
                                       builder.getI64Type(), start);
  }
  return address;
}

PointerOffsets::Place PointerOffsets::getPlace(OpBuilder &builder, Location loc,
                                               Value pointer) {
  const Known &pointee = known.at(pointer);
  tt::PointerType base = getBaseType(pointee.type);
  int64_t elementBytes = getElementBytes(pointee.type);
  if (getUnit(pointer) == elementBytes)
    return {getBase(pointee.base.getStart(), base), offsets.at(pointer)};
  Value address = getAddress(builder, loc, pointer);
  if (isa<RankedTensorType>(address.getType()))
    return {getBase(nullptr, base),
            rescale(builder, loc, address, 1, elementBytes)};
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  return {tts::FromAddressOp::create(builder, loc, base, address), zero};
}

Value PointerOffsets::getBase(Value start, tt::PointerType type) {
  // An argument is a base; other starts are pointers no more.
  if (isa_and_nonnull<BlockArgument>(start) && start.getType() == type)
    return start;

  Value &base = bases[{start, type}];
  if (base)
    return base;
  Value address = start ? getStartAddress(start) : nullptr;
  OpBuilder builder(function.getBody());
  if (address)
    builder.setInsertionPointAfterValue(address);
  else
    address = arith::ConstantOp::create(builder, function.getLoc(),
                                        builder.getI64IntegerAttr(0));
  base = tts::FromAddressOp::create(builder, address.getLoc(), type, address);
  return base;
}
