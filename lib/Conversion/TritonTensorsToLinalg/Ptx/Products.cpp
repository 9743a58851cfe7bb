//===- Products.cpp - Assembly that multiplies integers -------------------===//
//
// PTX instructions that multiply integers: all of them or their low 24 bits, or
// the parts of two registers, and what is added to that.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

Value multiplyHigh(OpBuilder &builder, Location loc, ValueRange in,
                   NumberType type) {
  if (type.isSigned())
    return arith::MulSIExtendedOp::create(builder, loc, in[0], in[1]).getHigh();
  return arith::MulUIExtendedOp::create(builder, loc, in[0], in[1]).getHigh();
}

/// The `width` bits of the i32 `bits` that begin at `from`, as an i32.
Value getPart(OpBuilder &builder, Location loc, Value bits, unsigned from,
              unsigned width, bool isSigned) {
  Value top = createBits(builder, loc, 32, 32 - width - from);
  Value bottom = createBits(builder, loc, 32, 32 - width);
  Value moved = arith::ShLIOp::create(builder, loc, bits, top);
  return isSigned ? Value(arith::ShRSIOp::create(builder, loc, moved, bottom))
                  : Value(arith::ShRUIOp::create(builder, loc, moved, bottom));
}

/// What `mul` keeps of a product: the low half, the high half or all of it.
struct Product {
  NumberType type;
  StringRef part;

  unsigned width() const {
    return part == "wide" ? 2 * type.width : type.width;
  }
  Value build(OpBuilder &builder, Location loc, ValueRange in) const {
    if (part == "hi")
      return multiplyHigh(builder, loc, in, type);
    Value x = resize(builder, loc, in[0], width(), type.isSigned());
    Value y = resize(builder, loc, in[1], width(), type.isSigned());
    return arith::MulIOp::create(builder, loc, x, y);
  }
};

/// What `mul24` keeps of the product of the low 24 bits: its lowest 32 bits, or
/// its highest.
struct ShortProduct {
  NumberType type;
  StringRef part;

  unsigned width() const { return 32; }
  Value build(OpBuilder &builder, Location loc, ValueRange in) const {
    auto cut = [&](Value bits) {
      Value low = getPart(builder, loc, bits, 0, 24, type.isSigned());
      return resize(builder, loc, low, 64, type.isSigned());
    };
    Value all = arith::MulIOp::create(builder, loc, cut(in[0]), cut(in[1]));
    if (part == "hi")
      all = arith::ShRUIOp::create(builder, loc, all,
                                   createBits(builder, loc, 64, 16));
    return resize(builder, loc, all, 32, /*isSigned=*/false);
  }
};

/// `x + y`, or the end of the i32 that it is beyond.
Value addSaturated(OpBuilder &builder, Location loc, Value x, Value y) {
  NumberType type{NumberType::Kind::Signed, 32};
  Value sum =
      arith::AddIOp::create(builder, loc, resize(builder, loc, x, 64, true),
                            resize(builder, loc, y, 64, true));
  return resize(builder, loc,
                clampTo(builder, loc, sum, /*isSigned=*/true, type), 32, true);
}

/// The product, and its sum with a third number if it `adds`.
template <typename ProductTy>
Rule multiply(ProductTy product, bool adds, bool saturates) {
  Rule rule;
  rule.results = {product.width()};
  rule.operands.assign(2, Slot{product.type.width});
  if (adds)
    rule.operands.push_back(Slot{product.width()});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value result = product.build(builder, loc, in);
    if (saturates)
      result = addSaturated(builder, loc, result, in[2]);
    else if (adds)
      result = arith::AddIOp::create(builder, loc, result, in[2]);
    return SmallVector<Value>{result};
  };
  return rule;
}

std::optional<Rule> findProduct(Opcode opcode) {
  NumberType type = opcode.types.front();
  bool adds = opcode.base.starts_with("mad");
  bool isShort = opcode.base.ends_with("24");
  StringRef part = opcode.takeOneOf({"lo", "hi", "wide"});
  bool saturates = opcode.take("sat");
  if (part.empty() || !opcode.modifiers.empty() || type.isFloat() ||
      type.lanes != 1 || type.width < 16 ||
      (part == "wide" && (isShort || type.width == 64)) ||
      (isShort && type.width != 32) ||
      (saturates &&
       !(adds && part == "hi" && type.isSigned() && type.width == 32)))
    return std::nullopt;
  return isShort ? multiply(ShortProduct{type, part}, adds, saturates)
                 : multiply(Product{type, part}, adds, saturates);
}

/// `dp4a` and `dp2a`: bytes of the second register times as many bytes, or
/// halves, of the first, and the third number.
std::optional<Rule> findDotProduct(Opcode opcode) {
  bool ofHalves = opcode.base == "dp2a";
  StringRef part = ofHalves ? opcode.takeOneOf({"lo", "hi"}) : "lo";
  auto isWord = [](NumberType type) {
    return !type.isFloat() && type.registerWidth() == 32 && type.lanes == 1;
  };
  if (part.empty() || !opcode.modifiers.empty() || opcode.types.size() != 2 ||
      !llvm::all_of(opcode.types, isWord))
    return std::nullopt;
  bool isLeftSigned = opcode.types[0].isSigned();
  bool isRightSigned = opcode.types[1].isSigned();
  unsigned width = ofHalves ? 16 : 8, start = part == "hi" ? 16 : 0;
  Rule rule;
  rule.results = {32};
  rule.operands.assign(3, Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value sum = in[2];
    for (unsigned i = 0; i < 32 / width; ++i) {
      Value x = getPart(builder, loc, in[0], i * width, width, isLeftSigned);
      Value y = getPart(builder, loc, in[1], start + 8 * i, 8, isRightSigned);
      sum = arith::AddIOp::create(builder, loc, sum,
                                  arith::MulIOp::create(builder, loc, x, y));
    }
    return SmallVector<Value>{sum};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findProductRule(Opcode opcode) {
  if (opcode.base == "dp4a" || opcode.base == "dp2a")
    return findDotProduct(opcode);
  bool isProduct =
      llvm::is_contained({"mul", "mad", "mul24", "mad24"}, opcode.base);
  return isProduct && opcode.types.size() == 1 ? findProduct(opcode)
                                               : std::nullopt;
}
