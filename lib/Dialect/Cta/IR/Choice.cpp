//===- Choice.cpp - Regions that take one of two tuples -------------------===//
//
// A choice sees of its elements only how each compares with the same one of the
// other side. That is one of a few relations per element, so all that the
// region can ever see is tried.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Cta/IR/Choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// How the left element compares with the right one.
enum class Relation { Less, Equal, Greater, LeftIsNan, RightIsNan, BothAreNan };

constexpr unsigned kOrdered = 3;
constexpr unsigned kAll = 6;
/// The most elements of a side: what is tried is a power of it.
constexpr unsigned kMostElements = 3;

using Relations = SmallVector<Relation, kMostElements>;

Relation swap(Relation relation) {
  switch (relation) {
  case Relation::Less:
    return Relation::Greater;
  case Relation::Greater:
    return Relation::Less;
  case Relation::LeftIsNan:
    return Relation::RightIsNan;
  case Relation::RightIsNan:
    return Relation::LeftIsNan;
  case Relation::Equal:
  case Relation::BothAreNan:
    return relation;
  }
  llvm_unreachable("all relations are handled");
}

bool areAlike(Relation relation) {
  return relation == Relation::Equal || relation == Relation::BothAreNan;
}

/// One region, which may or may not be a choice.
class Choice {
public:
  explicit Choice(Region &combine) : body(combine.front()) {
    count = body.getNumArguments() / 2;
  }

  bool isValid() const {
    return count <= kMostElements &&
           llvm::all_of(body.without_terminator(),
                        [&](Operation &op) { return isAllowed(op); }) &&
           llvm::all_of(llvm::enumerate(body.getTerminator()->getOperands()),
                        [&](auto result) {
                          return isPick(result.value(), result.index());
                        });
  }

  bool isSymmetric() const {
    Relations relations(count, Relation::Less);
    return isSymmetricFrom(relations, 0);
  }

private:
  /// The argument's place on its side; nothing for other values.
  std::optional<unsigned> getPlace(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &body)
      return std::nullopt;
    return argument.getArgNumber() % count;
  }

  bool isOnLeft(Value argument) const {
    return cast<BlockArgument>(argument).getArgNumber() < count;
  }

  bool isCondition(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && value.getType().isInteger(1) &&
           (op->getBlock() == &body || isa<arith::ConstantOp>(op));
  }

  /// True for what asks whether two conditions are alike.
  static bool comparesConditions(Operation &op) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    return compare && compare.getLhs().getType().isInteger(1) &&
           (compare.getPredicate() == arith::CmpIPredicate::eq ||
            compare.getPredicate() == arith::CmpIPredicate::ne) &&
           !isa<BlockArgument>(compare.getLhs()) &&
           !isa<BlockArgument>(compare.getRhs());
  }

  bool isPick(Value value, unsigned place) const {
    auto select = value.getDefiningOp<arith::SelectOp>();
    return select && getPlace(select.getTrueValue()) == place &&
           getPlace(select.getFalseValue()) == place;
  }

  bool isAllowed(Operation &op) const {
    if (comparesConditions(op))
      return llvm::all_of(op.getOperands(),
                          [&](Value value) { return isCondition(value); });
    if (isa<arith::CmpFOp, arith::CmpIOp>(op)) {
      std::optional<unsigned> place = getPlace(op.getOperand(0));
      return place && place == getPlace(op.getOperand(1));
    }
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      return llvm::all_of(op.getOperands(),
                          [&](Value value) { return isCondition(value); });
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (!isCondition(select.getCondition()))
        return false;
      if (std::optional<unsigned> place = getPlace(select.getTrueValue()))
        return isPick(select, *place) && op.hasOneUse() &&
               *op.getUsers().begin() == body.getTerminator();
      return isCondition(select.getTrueValue()) &&
             isCondition(select.getFalseValue());
    }
    return isa<arith::ConstantOp>(op) && op.getResult(0).getType().isInteger(1);
  }

  /// Whether any comparison can tell that an element is a NaN.
  bool looksForNans(unsigned place) const {
    return llvm::any_of(body.getOps<arith::CmpFOp>(), [&](arith::CmpFOp op) {
      return getPlace(op.getLhs()) == place &&
             (op.getLhs() == op.getRhs() ||
              op.getPredicate() >= arith::CmpFPredicate::ORD);
    });
  }

  bool isSymmetricFrom(Relations &relations, unsigned place) const {
    if (place == count)
      return isSymmetricFor(relations);
    unsigned tried = looksForNans(place) ? kAll : kOrdered;
    for (unsigned relation = 0; relation < tried; ++relation) {
      relations[place] = static_cast<Relation>(relation);
      if (!isSymmetricFrom(relations, place + 1))
        return false;
    }
    return true;
  }

  bool isSymmetricFor(const Relations &relations) const {
    Relations swapped = llvm::map_to_vector<kMostElements>(relations, swap);
    return llvm::all_of(
        llvm::enumerate(body.getTerminator()->getOperands()), [&](auto result) {
          auto pick = result.value().template getDefiningOp<arith::SelectOp>();
          return areAlike(relations[result.index()]) ||
                 takesLeft(pick, relations) != takesLeft(pick, swapped);
        });
  }

  bool takesLeft(arith::SelectOp pick, const Relations &relations) const {
    bool holds = evaluate(pick.getCondition(), relations);
    return isOnLeft(holds ? pick.getTrueValue() : pick.getFalseValue());
  }

  bool evaluate(Value condition, const Relations &relations) const;
  bool compare(arith::CmpFOp op, const Relations &relations) const;
  bool compare(arith::CmpIOp op, const Relations &relations) const;
  /// How the first operand of a comparison compares with the second.
  Relation relate(Operation *op, const Relations &relations) const;

  Block &body;
  unsigned count;
};

} // namespace

bool Choice::evaluate(Value condition, const Relations &relations) const {
  auto operand = [&](Operation *op, unsigned number) {
    return evaluate(op->getOperand(number), relations);
  };
  return TypeSwitch<Operation *, bool>(condition.getDefiningOp())
      .Case<arith::CmpFOp>([&](auto op) { return compare(op, relations); })
      .Case<arith::CmpIOp>([&](auto op) {
        if (!comparesConditions(*op))
          return compare(op, relations);
        bool areAlike = operand(op, 0) == operand(op, 1);
        return areAlike == (op.getPredicate() == arith::CmpIPredicate::eq);
      })
      .Case<arith::AndIOp>(
          [&](auto op) { return operand(op, 0) && operand(op, 1); })
      .Case<arith::OrIOp>(
          [&](auto op) { return operand(op, 0) || operand(op, 1); })
      .Case<arith::XOrIOp>(
          [&](auto op) { return operand(op, 0) != operand(op, 1); })
      .Case<arith::SelectOp>(
          [&](auto op) { return operand(op, operand(op, 0) ? 1 : 2); })
      .Default([&](Operation *op) { return matchPattern(op, m_One()); });
}

Relation Choice::relate(Operation *op, const Relations &relations) const {
  Value first = op->getOperand(0), second = op->getOperand(1);
  Relation relation = relations[*getPlace(first)];
  if (first != second)
    return isOnLeft(first) ? relation : swap(relation);
  Relation isNan = isOnLeft(first) ? Relation::LeftIsNan : Relation::RightIsNan;
  return relation == isNan || relation == Relation::BothAreNan
             ? Relation::BothAreNan
             : Relation::Equal;
}

bool Choice::compare(arith::CmpFOp op, const Relations &relations) const {
  using Predicate = arith::CmpFPredicate;
  Relation relation = relate(op, relations);
  bool less = relation == Relation::Less;
  bool equal = relation == Relation::Equal;
  bool greater = relation == Relation::Greater;
  bool unordered = !less && !equal && !greater;
  switch (op.getPredicate()) {
  case Predicate::AlwaysFalse:
    return false;
  case Predicate::OEQ:
    return equal;
  case Predicate::OGT:
    return greater;
  case Predicate::OGE:
    return greater || equal;
  case Predicate::OLT:
    return less;
  case Predicate::OLE:
    return less || equal;
  case Predicate::ONE:
    return less || greater;
  case Predicate::ORD:
    return !unordered;
  case Predicate::UEQ:
    return equal || unordered;
  case Predicate::UGT:
    return greater || unordered;
  case Predicate::UGE:
    return !less;
  case Predicate::ULT:
    return less || unordered;
  case Predicate::ULE:
    return !greater;
  case Predicate::UNE:
    return !equal;
  case Predicate::UNO:
    return unordered;
  case Predicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

/// One element is compared with or without a sign: `haveOneOrder` has seen to
/// it.
bool Choice::compare(arith::CmpIOp op, const Relations &relations) const {
  using Predicate = arith::CmpIPredicate;
  Relation relation = relate(op, relations);
  switch (op.getPredicate()) {
  case Predicate::eq:
    return relation == Relation::Equal;
  case Predicate::ne:
    return relation != Relation::Equal;
  case Predicate::slt:
  case Predicate::ult:
    return relation == Relation::Less;
  case Predicate::sle:
  case Predicate::ule:
    return relation != Relation::Greater;
  case Predicate::sgt:
  case Predicate::ugt:
    return relation == Relation::Greater;
  case Predicate::sge:
  case Predicate::uge:
    return relation != Relation::Less;
  }
  llvm_unreachable("all predicates are handled");
}

/// False if a region compares integers with and without their signs, which are
/// two orders.
static bool haveOneOrder(Region &combine) {
  bool isSigned = false, isUnsigned = false;
  for (auto op : combine.front().getOps<arith::CmpIOp>()) {
    isUnsigned |= op.getPredicate() >= arith::CmpIPredicate::ult;
    isSigned |= op.getPredicate() >= arith::CmpIPredicate::slt &&
                op.getPredicate() < arith::CmpIPredicate::ult;
  }
  return !isSigned || !isUnsigned;
}

bool cta::isChoice(Region &combine) {
  return Choice(combine).isValid() && haveOneOrder(combine);
}

bool cta::isSymmetricChoice(Region &combine) {
  return isChoice(combine) && Choice(combine).isSymmetric();
}
