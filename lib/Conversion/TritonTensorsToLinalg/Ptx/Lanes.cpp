//===- Lanes.cpp - Numbers in the bits of a register ----------------------===//
//
// Takes registers apart and puts them together, and limits what goes in.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "../MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

Value assembly::createBits(OpBuilder &builder, Location loc, unsigned width,
                           int64_t value) {
  APInt bits(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(width), bits));
}

FloatType assembly::getFloatType(MLIRContext *context, NumberType type) {
  if (type.kind == NumberType::Kind::BFloat)
    return BFloat16Type::get(context);
  if (type.width == 16)
    return Float16Type::get(context);
  if (type.width == 32)
    return Float32Type::get(context);
  return Float64Type::get(context);
}

Value assembly::resize(OpBuilder &builder, Location loc, Value value,
                       unsigned width, bool isSigned) {
  Type type = builder.getIntegerType(width);
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from > width)
    return arith::TruncIOp::create(builder, loc, type, value);
  return isSigned ? Value(arith::ExtSIOp::create(builder, loc, type, value))
                  : Value(arith::ExtUIOp::create(builder, loc, type, value));
}

Value assembly::getLane(OpBuilder &builder, Location loc, Value bits,
                        unsigned lane, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (lane)
    bits = arith::ShRUIOp::create(
        builder, loc, bits,
        createScalar(builder, loc, bits.getType(), lane * width));
  Type narrow = builder.getIntegerType(width);
  if (bits.getType() != narrow)
    bits = arith::TruncIOp::create(builder, loc, narrow, bits);
  return bits.getType() == type
             ? bits
             : arith::BitcastOp::create(builder, loc, type, bits);
}

Value assembly::joinLanes(OpBuilder &builder, Location loc, ValueRange lanes) {
  unsigned width = lanes.front().getType().getIntOrFloatBitWidth();
  Type narrow = builder.getIntegerType(width);
  Type wide = builder.getIntegerType(width * lanes.size());
  Value joined;
  for (auto [i, lane] : llvm::enumerate(lanes)) {
    Value bits = lane.getType() == narrow
                     ? lane
                     : arith::BitcastOp::create(builder, loc, narrow, lane);
    if (lanes.size() == 1)
      return bits;
    bits = arith::ExtUIOp::create(builder, loc, wide, bits);
    if (i)
      bits = arith::ShLIOp::create(builder, loc, bits,
                                   createScalar(builder, loc, wide, i * width));
    joined = i ? Value(arith::OrIOp::create(builder, loc, joined, bits)) : bits;
  }
  return joined;
}

Value assembly::flushSubnormal(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<FloatType>(value.getType());
  Value least = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(
          type, APFloat::getSmallestNormalized(type.getFloatSemantics())));
  Value isTiny =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                            math::AbsFOp::create(builder, loc, value), least);
  Value zero = math::CopySignOp::create(
      builder, loc, createScalar(builder, loc, type, 0), value);
  return arith::SelectOp::create(builder, loc, isTiny, zero, value);
}

Value assembly::saturateToUnit(OpBuilder &builder, Location loc, Value value) {
  Value raised = arith::MaxNumFOp::create(
      builder, loc, value, createScalar(builder, loc, value.getType(), 0));
  return arith::MinNumFOp::create(
      builder, loc, raised, createScalar(builder, loc, value.getType(), 1));
}

Value assembly::rectify(OpBuilder &builder, Location loc, Value value) {
  return arith::MaximumFOp::create(
      builder, loc, value, createScalar(builder, loc, value.getType(), 0));
}

Value assembly::saturateTo(OpBuilder &builder, Location loc, Value value,
                           const llvm::fltSemantics &format) {
  auto wide = cast<FloatType>(value.getType());
  APFloat most = APFloat::getLargest(format);
  bool losesInfo;
  most.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
               &losesInfo);
  auto constant = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(wide, number));
  };
  Value raised =
      arith::MaximumFOp::create(builder, loc, value, constant(neg(most)));
  return arith::MinimumFOp::create(builder, loc, raised, constant(most));
}

Value assembly::widen(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

bool PairSource::isKnown() const {
  if (isRegister())
    return type.isFloat() && type.width == 16;
  return type.kind == NumberType::Kind::Float && type.width == 32;
}

SmallVector<Slot, 4> PairSource::getSlots() const {
  return SmallVector<Slot, 4>(isRegister() ? 1 : 2,
                              Slot{type.registerWidth(), !isRegister()});
}

Value PairSource::getNumber(OpBuilder &builder, Location loc, ValueRange in,
                            unsigned lane) const {
  Type number = getFloatType(builder.getContext(), type);
  return isRegister() ? getLane(builder, loc, in[0], lane, number)
                      : getLane(builder, loc, in[1 - lane], 0, number);
}

Value assembly::joinPlaces(OpBuilder &builder, Location loc, ValueRange codes,
                           unsigned place) {
  Value joined = codes.front();
  for (auto [i, code] : llvm::enumerate(codes.drop_front())) {
    Value by =
        createScalar(builder, loc, builder.getI32Type(), (i + 1) * place);
    joined = arith::OrIOp::create(
        builder, loc, joined, arith::ShLIOp::create(builder, loc, code, by));
  }
  return resize(builder, loc, joined, codes.size() * place,
                /*isSigned=*/false);
}

Value assembly::getBitsFrom(OpBuilder &builder, Location loc, Value bits,
                            unsigned from) {
  Value wide = resize(builder, loc, bits, 32, /*isSigned=*/false);
  if (!from)
    return wide;
  Value by = createScalar(builder, loc, builder.getI32Type(), from);
  return arith::ShRUIOp::create(builder, loc, wide, by);
}

Value assembly::clampTo(OpBuilder &builder, Location loc, Value value,
                        bool isSigned, NumberType to) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  auto constant = [&](const APInt &bits) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(value.getType(), bits));
  };
  APInt most = to.isSigned() ? APInt::getSignedMaxValue(to.width)
                             : APInt::getMaxValue(to.width);
  APInt least = to.isSigned() ? APInt::getSignedMinValue(to.width)
                              : APInt::getZero(to.width);
  // In a signed number of its own width, the largest unsigned one has no place.
  bool needsHigh = to.width < width || (to.isSigned() && !isSigned);
  if (!isSigned)
    return needsHigh ? Value(arith::MinUIOp::create(builder, loc, value,
                                                    constant(most.zext(width))))
                     : value;
  Value low = to.isSigned() ? constant(least.sext(width))
                            : constant(APInt::getZero(width));
  value = arith::MaxSIOp::create(builder, loc, value, low);
  if (to.width < width)
    value =
        arith::MinSIOp::create(builder, loc, value, constant(most.zext(width)));
  return value;
}

/// Literals are of formats that C knows.
static Slot slotOf(NumberType type) {
  return Slot{type.registerWidth(),
              type.lanes == 1 && type.kind == NumberType::Kind::Float};
}

Rule assembly::onFloatLanes(NumberType type, unsigned count,
                            ComputeFloat compute, FloatLimits limits) {
  Rule rule;
  rule.results = {type.registerWidth()};
  rule.operands.assign(count, slotOf(type));
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Type number = getFloatType(builder.getContext(), type);
    auto flush = [&](Value value) {
      return limits.flushes ? flushSubnormal(builder, loc, value) : value;
    };
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < type.lanes; ++lane) {
      SmallVector<Value> numbers;
      for (Value bits : in)
        numbers.push_back(flush(getLane(builder, loc, bits, lane, number)));
      Value result = flush(compute(builder, loc, numbers));
      if (limits.saturates)
        result = saturateToUnit(builder, loc, result);
      if (limits.rectifies)
        result = rectify(builder, loc, result);
      lanes.push_back(result);
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}
