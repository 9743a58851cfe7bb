//===- Floats.cpp - Assembly that computes floats -------------------------===//
//
// PTX instructions on floats. Those that may be inexact (`approx`, `full`) are
// as exact as the functions of libdevice.
//
//===----------------------------------------------------------------------===//

#include "../Libdevice/LibraryFunctions.h"
#include "../MapElements.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

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

namespace {

/// Computes a float from floats of one type.
using Compute = std::function<Value(OpBuilder &, Location, ValueRange)>;

template <typename OpTy> Compute apply() {
  return [](OpBuilder &builder, Location loc, ValueRange in) -> Value {
    return OpTy::create(builder, loc, TypeRange(in[0].getType()), in)
        ->getResult(0);
  };
}

Compute callLibrary(ScalarBuilder function) {
  return [=](OpBuilder &builder, Location loc, ValueRange in) {
    return function(builder, loc, in, in[0].getType());
  };
}

Value reciprocal(OpBuilder &builder, Location loc, ValueRange in) {
  Value one = createScalar(builder, loc, in[0].getType(), 1);
  return arith::DivFOp::create(builder, loc, one, in[0]);
}

Value exactReciprocal(OpBuilder &builder, Location loc, ValueRange in) {
  Value one = createScalar(builder, loc, in[0].getType(), 1);
  return createExactQuotient(builder, loc, one, in[0]);
}

Value exactQuotient(OpBuilder &builder, Location loc, ValueRange in) {
  return createExactQuotient(builder, loc, in[0], in[1]);
}

Value exactRoot(OpBuilder &builder, Location loc, ValueRange in) {
  return createExactRoot(builder, loc, in[0]);
}

/// PTX names the number that gives the sign first.
Value copySign(OpBuilder &builder, Location loc, ValueRange in) {
  return math::CopySignOp::create(builder, loc, in[1], in[0]);
}

/// Literals are of formats that C knows.
Slot slotOf(NumberType type) {
  return Slot{type.registerWidth(),
              type.lanes == 1 && type.kind == NumberType::Kind::Float};
}

/// `compute` in each lane of `count` numbers.
Rule onLanes(NumberType type, unsigned count, Compute compute, bool flushes,
             bool saturates) {
  Rule rule;
  rule.results = {type.registerWidth()};
  rule.operands.assign(count, slotOf(type));
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Type number = getFloatType(builder.getContext(), type);
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < type.lanes; ++lane) {
      SmallVector<Value> numbers;
      for (Value bits : in) {
        Value value = getLane(builder, loc, bits, lane, number);
        numbers.push_back(flushes ? flushSubnormal(builder, loc, value)
                                  : value);
      }
      Value result = compute(builder, loc, numbers);
      if (flushes)
        result = flushSubnormal(builder, loc, result);
      lanes.push_back(saturates ? saturateToUnit(builder, loc, result)
                                : result);
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

/// Rounds one way, with libdevice's name for the function.
Compute findDirected(StringRef base, StringRef mode, NumberType type) {
  StringRef suffix = llvm::StringSwitch<StringRef>(mode)
                         .Case("rz", "_rz")
                         .Case("rm", "_rd")
                         .Case("rp", "_ru")
                         .Default("");
  if (suffix.empty() || type.width < 32)
    return {};
  std::string name = base == "fma"
                         ? (type.width == 32 ? "fmaf" : "fma")
                         : (type.width == 32 ? "f" : "d") + base.str();
  ScalarBuilder function = findRoundedFunction(name + suffix.str());
  return function ? callLibrary(function) : Compute();
}

/// What IEEE 754 calls an operation; rounds to nearest unless it says how.
Compute findArithmetic(StringRef base, StringRef mode, NumberType type) {
  if (mode == "rz" || mode == "rm" || mode == "rp")
    return findDirected(base, mode, type);
  return llvm::StringSwitch<Compute>(base)
      .Case("add", apply<arith::AddFOp>())
      .Case("sub", apply<arith::SubFOp>())
      .Case("mul", apply<arith::MulFOp>())
      .Case("div", exactQuotient)
      .Case("fma", apply<math::FmaOp>())
      .Case("rcp", exactReciprocal)
      .Case("sqrt", exactRoot)
      .Default({});
}

/// What a GPU's own instruction may stand for.
Compute findFunction(StringRef base) {
  return llvm::StringSwitch<Compute>(base)
      .Case("div", apply<arith::DivFOp>())
      .Case("rcp", reciprocal)
      .Case("sqrt", apply<math::SqrtOp>())
      .Case("ex2", apply<math::Exp2Op>())
      .Case("lg2", apply<math::Log2Op>())
      .Case("rsqrt", apply<math::RsqrtOp>())
      .Case("sin", apply<math::SinOp>())
      .Case("cos", apply<math::CosOp>())
      .Case("tanh", apply<math::TanhOp>())
      .Default({});
}

/// The same, marked as what may be the GPU's own instruction.
Compute approximate(Compute compute) {
  return [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value result = compute(builder, loc, in);
    if (result.getType().isF32())
      result.getDefiningOp()->setAttr(tts::kIsApproximate,
                                      builder.getUnitAttr());
    return result;
  };
}

Compute findSimple(StringRef base, bool propagatesNan) {
  return llvm::StringSwitch<Compute>(base)
      .Case("neg", apply<arith::NegFOp>())
      .Case("abs", apply<math::AbsFOp>())
      .Case("min", propagatesNan ? apply<arith::MinimumFOp>()
                                 : apply<arith::MinNumFOp>())
      .Case("max", propagatesNan ? apply<arith::MaximumFOp>()
                                 : apply<arith::MaxNumFOp>())
      .Case("copysign", copySign)
      .Default({});
}

unsigned countOperands(StringRef base) {
  if (base == "fma")
    return 3;
  return llvm::is_contained(
             {"add", "sub", "mul", "div", "min", "max", "copysign"}, base)
             ? 2
             : 1;
}

/// `setp` on floats: one predicate per lane.
std::optional<Rule> compare(Opcode opcode) {
  using arith::CmpFPredicate;
  NumberType type = opcode.types.front();
  bool flushes = opcode.take("ftz");
  if (opcode.modifiers.size() != 1)
    return std::nullopt;
  auto predicate =
      llvm::StringSwitch<std::optional<CmpFPredicate>>(opcode.modifiers.front())
          .Case("eq", CmpFPredicate::OEQ)
          .Case("ne", CmpFPredicate::ONE)
          .Case("lt", CmpFPredicate::OLT)
          .Case("le", CmpFPredicate::OLE)
          .Case("gt", CmpFPredicate::OGT)
          .Case("ge", CmpFPredicate::OGE)
          .Case("equ", CmpFPredicate::UEQ)
          .Case("neu", CmpFPredicate::UNE)
          .Case("ltu", CmpFPredicate::ULT)
          .Case("leu", CmpFPredicate::ULE)
          .Case("gtu", CmpFPredicate::UGT)
          .Case("geu", CmpFPredicate::UGE)
          .Case("num", CmpFPredicate::ORD)
          .Case("nan", CmpFPredicate::UNO)
          .Default(std::nullopt);
  if (!predicate)
    return std::nullopt;
  Rule rule;
  rule.results.assign(type.lanes, 1);
  rule.operands.assign(2, slotOf(type));
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Type number = getFloatType(builder.getContext(), type);
    SmallVector<Value> answers;
    for (unsigned lane = 0; lane < type.lanes; ++lane) {
      Value x = getLane(builder, loc, in[0], lane, number);
      Value y = getLane(builder, loc, in[1], lane, number);
      if (flushes) {
        x = flushSubnormal(builder, loc, x);
        y = flushSubnormal(builder, loc, y);
      }
      answers.push_back(arith::CmpFOp::create(builder, loc, *predicate, x, y));
    }
    return answers;
  };
  return rule;
}

} // namespace

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

std::optional<Rule> assembly::findFloatRule(Opcode opcode) {
  if (opcode.types.size() != 1 || !opcode.types.front().isFloat())
    return std::nullopt;
  NumberType type = opcode.types.front();
  StringRef base = opcode.base == "mad" ? "fma" : opcode.base;
  if (base == "setp")
    return compare(opcode);
  bool flushes = opcode.take("ftz"), saturates = opcode.take("sat");
  bool propagatesNan = opcode.take("NaN");
  StringRef mode = opcode.takeOneOf({"approx", "full", "rn", "rz", "rm", "rp"});
  if (!opcode.modifiers.empty())
    return std::nullopt;
  Compute compute;
  if (base == "rcp" && mode == "approx" && type.width == 64)
    compute = callLibrary(findIntegerFunction("rcp64h"));
  else if (mode == "approx" || mode == "full")
    compute = findFunction(base);
  else if (mode.empty() && !llvm::is_contained({"div", "rcp", "sqrt"}, base))
    compute = findSimple(base, propagatesNan);
  if (!compute && mode != "approx" && mode != "full")
    compute = findArithmetic(base, mode, type);
  if (!compute)
    return std::nullopt;
  if (mode == "approx")
    compute = approximate(compute);
  bool isDouble = type.width == 64;
  return onLanes(type, countOperands(base), compute, flushes && !isDouble,
                 saturates);
}
