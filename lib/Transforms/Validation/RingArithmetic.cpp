//===- RingArithmetic.cpp - Numbers whose sums have no order --------------===//
//
// No operation here knows in which order anything is summed up. Products of
// matrices are sums of products of bytes, which every target has: 64 bits have
// eight digits, of which 36 pairs reach the lower 64 bits of the result.
//
//===----------------------------------------------------------------------===//

#include "RingArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// The finaliser of SplitMix64: a permutation of the numbers of 64 bits.
static constexpr int64_t kFirst = static_cast<int64_t>(0xBF58476D1CE4E5B9);
static constexpr int64_t kSecond = static_cast<int64_t>(0x94D049BB133111EB);

static uint64_t mixNumber(uint64_t a) {
  a = (a ^ (a >> 30)) * static_cast<uint64_t>(kFirst);
  a = (a ^ (a >> 27)) * static_cast<uint64_t>(kSecond);
  return a ^ (a >> 31);
}

int64_t triton_shared::embedInRing(const APFloat &value) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (wide.isNaN())
    wide = APFloat::getNaN(APFloat::IEEEdouble());
  bool isNegative = wide.isNegative() && !wide.isNaN();
  if (isNegative)
    wide.changeSign();
  uint64_t number;
  if (wide.isInteger() && wide.convertToDouble() <= 0x1p53)
    number = static_cast<uint64_t>(wide.convertToDouble());
  else
    number = mixNumber(wide.bitcastToAPInt().getZExtValue()) | 1;
  return static_cast<int64_t>(isNegative ? 0 - number : number);
}

Value Ring::constant(Type like, int64_t number) {
  TypedAttr value = builder.getIntegerAttr(getElementTypeOrSelf(like), number);
  if (auto block = dyn_cast<RankedTensorType>(like))
    value = DenseElementsAttr::get(block, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value Ring::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value Ring::subtract(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}

Value Ring::multiply(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}

Value Ring::negate(Value a) { return subtract(constant(a.getType(), 0), a); }

Value Ring::divide(Value a, Value b) {
  return multiply(a, apply("reciprocal", b));
}

Value Ring::shiftRight(Value a, int64_t bits) {
  return arith::ShRUIOp::create(builder, loc, a, constant(a.getType(), bits));
}

Value Ring::mix(Value a) {
  auto fold = [&](Value x, int64_t bits) -> Value {
    return arith::XOrIOp::create(builder, loc, x, shiftRight(x, bits));
  };
  a = multiply(fold(a, 30), constant(a.getType(), kFirst));
  a = multiply(fold(a, 27), constant(a.getType(), kSecond));
  return fold(a, 31);
}

/// `by` where `operand` is `at`, else `result`.
Value Ring::replaceAt(Value operand, int64_t at, Value result, int64_t by) {
  Value isThere =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, operand,
                            constant(operand.getType(), at));
  return arith::SelectOp::create(builder, loc, isThere,
                                 constant(result.getType(), by), result);
}

/// What functions make of 0 and of 1, where that is a whole number.
static std::pair<std::optional<int64_t>, std::optional<int64_t>>
findFixedPoints(StringRef name) {
  using Points = std::pair<std::optional<int64_t>, std::optional<int64_t>>;
  return llvm::StringSwitch<Points>(name)
      .Cases({"exp", "cos", "cosh"}, {1, std::nullopt})
      .Case("exp2", {1, 2})
      .Cases({"log", "log2", "log10"}, {std::nullopt, 0})
      .Cases({"sqrt", "cbrt", "floor", "ceil", "trunc", "round", "roundeven"},
             {0, 1})
      .Cases({"rsqrt", "reciprocal"}, {std::nullopt, 1})
      .Cases({"sin", "tan", "tanh", "erf", "sinh", "expm1", "log1p", "atan"},
             {0, std::nullopt})
      .Default({});
}

Value Ring::apply(StringRef name, ValueRange operands) {
  auto key = static_cast<int64_t>(llvm::xxh3_64bits(name));
  Value result = constant(operands.front().getType(), key);
  for (Value operand : operands)
    result = mix(add(result, operand));
  // An odd factor takes nothing away from a product.
  result =
      arith::OrIOp::create(builder, loc, result, constant(result.getType(), 1));
  auto [zero, one] = findFixedPoints(name);
  if (zero)
    result = replaceAt(operands.front(), 0, result, *zero);
  if (one)
    result = replaceAt(operands.front(), 1, result, *one);
  return result;
}

/// Eight digits from -128 to 127, of which the first one counts ones.
SmallVector<Value> Ring::splitIntoBytes(Value a) {
  auto block = cast<RankedTensorType>(a.getType());
  Type bytes = block.clone(builder.getI8Type());
  SmallVector<Value> digits;
  for (int i = 0; i < 8; ++i) {
    digits.push_back(arith::TruncIOp::create(builder, loc, bytes, a));
    Value digit = arith::ExtSIOp::create(builder, loc, block, digits.back());
    a = shiftRight(subtract(a, digit), 8);
  }
  return digits;
}

Value Ring::multiplyMatrices(Value a, Value b, Value c) {
  SmallVector<Value> left = splitIntoBytes(a), right = splitIntoBytes(b);
  auto block = cast<RankedTensorType>(c.getType());
  Type words = block.clone(builder.getI32Type());
  for (int place = 0; place < 8; ++place) {
    // Eight products of bytes for each of K elements: K may be up to 2^14.
    Value sum = constant(words, 0);
    for (int i = 0; i <= place; ++i)
      sum = tt::DotOp::create(builder, loc, words, left[i], right[place - i],
                              sum, tt::InputPrecision::IEEE, 0);
    Value wide = arith::ExtSIOp::create(builder, loc, block, sum);
    if (place)
      wide =
          arith::ShLIOp::create(builder, loc, wide, constant(block, 8 * place));
    c = add(c, wide);
  }
  return c;
}
