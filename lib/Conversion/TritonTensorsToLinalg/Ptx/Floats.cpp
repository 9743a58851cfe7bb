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

namespace {

template <typename OpTy> ComputeFloat apply() {
  return [](OpBuilder &builder, Location loc, ValueRange in) -> Value {
    return OpTy::create(builder, loc, TypeRange(in[0].getType()), in)
        ->getResult(0);
  };
}

ComputeFloat callLibrary(ScalarBuilder function) {
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

/// `compute` in f32, of `count` numbers of which only the last one is an f32,
/// the others of the type `narrow`.
Rule onMixed(NumberType narrow, unsigned count, ComputeFloat compute,
             bool saturates) {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(count - 1, Slot{narrow.width});
  rule.operands.push_back(Slot{32, /*isFloat=*/true});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Type number = getFloatType(builder.getContext(), narrow);
    SmallVector<Value> numbers;
    for (Value bits : in.drop_back())
      numbers.push_back(
          widen(builder, loc, getLane(builder, loc, bits, 0, number)));
    numbers.push_back(
        getLane(builder, loc, in.back(), 0, builder.getF32Type()));
    Value result = compute(builder, loc, numbers);
    if (saturates)
      result = saturateToUnit(builder, loc, result);
    return SmallVector<Value>{joinLanes(builder, loc, result)};
  };
  return rule;
}

/// Rounds one way, with libdevice's name for the function.
ComputeFloat findDirected(StringRef base, StringRef mode, NumberType type) {
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
  return function ? callLibrary(function) : ComputeFloat();
}

/// What IEEE 754 calls an operation; rounds to nearest unless it says how.
ComputeFloat findArithmetic(StringRef base, StringRef mode, NumberType type) {
  if (mode == "rz" || mode == "rm" || mode == "rp")
    return findDirected(base, mode, type);
  return llvm::StringSwitch<ComputeFloat>(base)
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
ComputeFloat findFunction(StringRef base) {
  return llvm::StringSwitch<ComputeFloat>(base)
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
ComputeFloat approximate(ComputeFloat compute) {
  return [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value result = compute(builder, loc, in);
    if (result.getType().isF32())
      result.getDefiningOp()->setAttr(tts::kIsApproximate,
                                      builder.getUnitAttr());
    return result;
  };
}

ComputeFloat findSimple(StringRef base) {
  return llvm::StringSwitch<ComputeFloat>(base)
      .Case("neg", apply<arith::NegFOp>())
      .Case("abs", apply<math::AbsFOp>())
      .Case("copysign", copySign)
      .Default({});
}

unsigned countOperands(StringRef base) {
  return llvm::StringSwitch<unsigned>(base)
      .Case("fma", 3)
      .Cases({"add", "sub", "mul", "div", "copysign"}, 2)
      .Default(1);
}

/// The instruction as rounded by `mode`, or as the GPU's own.
ComputeFloat findCompute(StringRef base, StringRef mode, NumberType type) {
  if (base == "rcp" && mode == "approx" && type.width == 64)
    return callLibrary(findIntegerFunction("rcp64h"));
  if (mode == "approx" || mode == "full") {
    ComputeFloat compute = findFunction(base);
    return compute && mode == "approx" ? approximate(compute) : compute;
  }
  ComputeFloat compute;
  if (mode.empty() && !llvm::is_contained({"div", "rcp", "sqrt"}, base))
    compute = findSimple(base);
  return compute ? compute : findArithmetic(base, mode, type);
}

} // namespace

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

/// `add`, `sub` and `fma` with a narrow number, or two.
static std::optional<Rule> findMixedRule(Opcode opcode, StringRef mode,
                                         bool saturates) {
  NumberType wide = opcode.types[0], narrow = opcode.types[1];
  if (!llvm::is_contained({"add", "sub", "fma"}, opcode.base) ||
      mode == "approx" || mode == "full" ||
      wide.kind != NumberType::Kind::Float || wide.registerWidth() != 32 ||
      wide.lanes != 1 || !narrow.isFloat() || narrow.registerWidth() != 16)
    return std::nullopt;
  ComputeFloat compute = findArithmetic(opcode.base, mode, wide);
  if (!compute)
    return std::nullopt;
  return onMixed(narrow, countOperands(opcode.base), compute, saturates);
}

std::optional<Rule> assembly::findFloatRule(Opcode opcode) {
  if (opcode.types.empty() || !opcode.types.front().isFloat())
    return std::nullopt;
  NumberType type = opcode.types.front();
  StringRef base = opcode.base == "mad" ? "fma" : opcode.base;
  FloatLimits limits;
  limits.flushes = opcode.take("ftz");
  limits.saturates = opcode.take("sat");
  limits.rectifies = opcode.take("relu");
  StringRef mode = opcode.takeOneOf({"approx", "full", "rn", "rz", "rm", "rp"});
  if (!opcode.modifiers.empty() || (limits.rectifies && base != "fma"))
    return std::nullopt;
  if (opcode.types.size() == 2 && !limits.flushes && !limits.rectifies)
    return findMixedRule(opcode, mode, limits.saturates);
  if (opcode.types.size() != 1)
    return std::nullopt;
  ComputeFloat compute = findCompute(base, mode, type);
  if (!compute)
    return std::nullopt;
  // Of f64, only approximations flush, and that of `rcp` does so by itself.
  limits.flushes &= type.width < 64 || base == "rsqrt";
  return onFloatLanes(type, countOperands(base), compute, limits);
}
