//===- Comparisons.cpp - Assembly that asks about numbers -----------------===//
//
// PTX's `setp` and `set`, which compare two numbers, or pairs of them, and may
// combine the answer with a predicate; and `testp`, which asks about one float.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Answers about two numbers of one type.
using Compare = std::function<Value(OpBuilder &, Location, Value, Value)>;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<CmpIPredicate> findIntegerPredicate(StringRef name,
                                                  bool isSigned) {
  auto pick = [&](CmpIPredicate ifSigned, CmpIPredicate otherwise) {
    return isSigned ? ifSigned : otherwise;
  };
  return llvm::StringSwitch<std::optional<CmpIPredicate>>(name)
      .Case("eq", CmpIPredicate::eq)
      .Case("ne", CmpIPredicate::ne)
      .Case("lt", pick(CmpIPredicate::slt, CmpIPredicate::ult))
      .Case("le", pick(CmpIPredicate::sle, CmpIPredicate::ule))
      .Case("gt", pick(CmpIPredicate::sgt, CmpIPredicate::ugt))
      .Case("ge", pick(CmpIPredicate::sge, CmpIPredicate::uge))
      .Case("lo", CmpIPredicate::ult)
      .Case("ls", CmpIPredicate::ule)
      .Case("hi", CmpIPredicate::ugt)
      .Case("hs", CmpIPredicate::uge)
      .Default(std::nullopt);
}

std::optional<CmpFPredicate> findFloatPredicate(StringRef name) {
  return llvm::StringSwitch<std::optional<CmpFPredicate>>(name)
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
}

Compare findComparison(StringRef name, NumberType type, bool flushes) {
  if (!type.isFloat()) {
    auto predicate = findIntegerPredicate(name, type.isSigned());
    if (!predicate || flushes || type.lanes != 1 || type.width < 16)
      return {};
    return [=](OpBuilder &builder, Location loc, Value x, Value y) -> Value {
      return arith::CmpIOp::create(builder, loc, *predicate, x, y);
    };
  }
  auto predicate = findFloatPredicate(name);
  if (!predicate)
    return {};
  return [=](OpBuilder &builder, Location loc, Value x, Value y) -> Value {
    if (flushes) {
      x = flushSubnormal(builder, loc, x);
      y = flushSubnormal(builder, loc, y);
    }
    return arith::CmpFOp::create(builder, loc, *predicate, x, y);
  };
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// How an answer is combined with a predicate, the last operand, if it is.
struct Combination {
  StringRef name;

  Value apply(OpBuilder &builder, Location loc, Value answer,
              ValueRange in) const {
    if (name == "and")
      return make<arith::AndIOp>(builder, loc, answer, in.back());
    if (name == "or")
      return make<arith::OrIOp>(builder, loc, answer, in.back());
    if (name == "xor")
      return make<arith::XOrIOp>(builder, loc, answer, in.back());
    return answer;
  }
};

/// The operands and the question of `setp` and `set`.
struct Question {
  NumberType type;
  Compare compare;
  Combination combination;

  SmallVector<Slot, 4> getSlots() const {
    SmallVector<Slot, 4> slots(
        2, Slot{type.registerWidth(),
                type.kind == NumberType::Kind::Float && type.lanes == 1});
    if (!combination.name.empty())
      slots.push_back(Slot{1});
    return slots;
  }

  /// The answer for a lane, not combined yet.
  Value ask(OpBuilder &builder, Location loc, ValueRange in,
            unsigned lane) const {
    Type number = type.isFloat() ? getFloatType(builder.getContext(), type)
                                 : Type(builder.getIntegerType(type.width));
    return compare(builder, loc, getLane(builder, loc, in[0], lane, number),
                   getLane(builder, loc, in[1], lane, number));
  }
};

/// A predicate for each of two lanes; of one, the second predicate is of the
/// opposite answer.
Rule setPredicates(Question question) {
  Rule rule;
  rule.results = {1, 1};
  rule.mayDropSecond = question.type.lanes == 1;
  rule.operands = question.getSlots();
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value first = question.ask(builder, loc, in, 0);
    Value second = question.type.lanes == 2
                       ? question.ask(builder, loc, in, 1)
                       : make<arith::XOrIOp>(builder, loc, first,
                                             createBits(builder, loc, 1, 1));
    return SmallVector<Value>{
        question.combination.apply(builder, loc, first, in),
        question.combination.apply(builder, loc, second, in)};
  };
  return rule;
}

/// 1.0, or all bits, of the lane's part of a register where the answer is yes;
/// else 0.
Rule setNumber(Question question, NumberType to) {
  unsigned width = to.registerWidth() / question.type.lanes;
  Rule rule;
  rule.results = {to.registerWidth()};
  rule.operands = question.getSlots();
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < question.type.lanes; ++lane) {
      Value answer = question.combination.apply(
          builder, loc, question.ask(builder, loc, in, lane), in);
      APInt yes = APInt::getAllOnes(width);
      if (to.isFloat())
        yes = APFloat::getOne(
                  getFloatType(builder.getContext(), to).getFloatSemantics())
                  .bitcastToAPInt();
      lanes.push_back(arith::SelectOp::create(
          builder, loc, answer,
          createBits(builder, loc, width, yes.getSExtValue()),
          createBits(builder, loc, width, 0)));
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

/// Whether `set` has results of `to` for numbers of `from`.
bool isAnswer(NumberType to, NumberType from) {
  if (from.lanes == 2)
    return to.registerWidth() == 32 &&
           (to.isFloat() ? to.kind == from.kind && to.lanes == 2
                         : to.lanes == 1);
  bool isHalf = to.width == 16 && from.width == 16 && from.isFloat() &&
                (!to.isFloat() || to.kind == from.kind);
  return to.lanes == 1 && (to.width == 32 || isHalf);
}

//===----------------------------------------------------------------------===//
// One float
//===----------------------------------------------------------------------===//

/// Whether a float whose bits without the sign are `size` is what `name` says.
/// Zero is a normal number.
Value isOfKind(OpBuilder &builder, Location loc, StringRef name, Value size,
               const llvm::fltSemantics &format) {
  auto compare = [&](CmpIPredicate predicate, Value x, const APFloat &y) {
    Value bits = createBits(builder, loc, APFloat::getSizeInBits(format),
                            y.bitcastToAPInt().getSExtValue());
    return arith::CmpIOp::create(builder, loc, predicate, x, bits);
  };
  APFloat infinity = APFloat::getInf(format);
  if (name == "finite")
    return compare(CmpIPredicate::ult, size, infinity);
  if (name == "infinite")
    return compare(CmpIPredicate::eq, size, infinity);
  if (name == "number")
    return compare(CmpIPredicate::ule, size, infinity);
  if (name == "notanumber")
    return compare(CmpIPredicate::ugt, size, infinity);
  APFloat normal = APFloat::getSmallestNormalized(format);
  Value isZero = compare(CmpIPredicate::eq, size, APFloat::getZero(format));
  Value isBelow = compare(CmpIPredicate::ult, size, normal);
  Value isSubnormal = make<arith::XOrIOp>(builder, loc, isBelow, isZero);
  if (name == "subnormal")
    return isSubnormal;
  return make<arith::XOrIOp>(
      builder, loc, compare(CmpIPredicate::ult, size, infinity), isSubnormal);
}

/// `testp`.
std::optional<Rule> test(Opcode opcode) {
  NumberType type = opcode.types.front();
  StringRef name = opcode.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (name.empty() || !opcode.modifiers.empty() || !type.isFloat() ||
      type.width < 32 || type.lanes != 1)
    return std::nullopt;
  Rule rule;
  rule.results = {1};
  rule.operands = {Slot{type.width, /*isFloat=*/true}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value most =
        createBits(builder, loc, type.width,
                   APInt::getSignedMaxValue(type.width).getSExtValue());
    Value size = make<arith::AndIOp>(builder, loc, in[0], most);
    FloatType number = getFloatType(builder.getContext(), type);
    return SmallVector<Value>{
        isOfKind(builder, loc, name, size, number.getFloatSemantics())};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findComparisonRule(Opcode opcode) {
  bool isSet = opcode.base == "set";
  if (opcode.base == "testp" && opcode.types.size() == 1)
    return test(opcode);
  if (opcode.types.size() != (isSet ? 2 : 1) ||
      (!isSet && opcode.base != "setp"))
    return std::nullopt;
  NumberType type = opcode.types.back();
  bool flushes = opcode.take("ftz");
  StringRef combines = opcode.takeOneOf({"and", "or", "xor"});
  if (opcode.modifiers.size() != 1 || type.lanes > 2 ||
      type.kind == NumberType::Kind::Predicate)
    return std::nullopt;
  Compare compare = findComparison(opcode.modifiers.front(), type, flushes);
  if (!compare)
    return std::nullopt;
  Question question{type, compare, {combines}};
  if (!isSet)
    return setPredicates(question);
  NumberType to = opcode.types.front();
  return isAnswer(to, type) ? std::optional(setNumber(question, to))
                            : std::nullopt;
}
