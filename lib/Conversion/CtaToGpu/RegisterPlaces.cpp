//===- RegisterPlaces.cpp - Places that a thread compares -----------------===//

#include "RegisterPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Dialect/Cta/IR/Choice.h"
#include "triton-shared/Transforms/TileNeighbours.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// True if each element of `tile` is its coordinate along `dim`.
static bool isCoordinate(Value tile, unsigned dim) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto iota = dyn_cast<cta::IotaOp>(op))
      return iota.getDim() == dim;
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>(op)) {
      tile = op->getOperand(0);
    } else if (auto broadcast = dyn_cast<cta::BroadcastOp>(op)) {
      if (cta::getTile(broadcast.getSource()).getDimSize(dim) == 1)
        return false;
      tile = broadcast.getSource();
    } else if (auto reshape = dyn_cast<cta::ReshapeOp>(op)) {
      std::optional<unsigned> source =
          findReshapedDim(cta::getTile(reshape.getResult()),
                          cta::getTile(reshape.getSource()), dim);
      if (!source)
        return false;
      dim = *source;
      tile = reshape.getSource();
    } else {
      return false;
    }
  }
  return false;
}

RegisterPlaces::RegisterPlaces(cta::ReduceOp op, OpBuilder &builder,
                               Registers &values)
    : op(op) {
  unsigned axis = op.getAxis();
  cta::LinearLayout layout = cta::getLayout(op.getSources().front().getType());
  if (!cta::isChoice(op.getCombine()) || !layout.hasDisjointRegisters())
    return;
  for (auto [number, source] : llvm::enumerate(op.getSources())) {
    // An index has no width to compare with.
    auto type = dyn_cast<IntegerType>(cta::getTile(source).getElementType());
    if (!type || type.getWidth() < 32 || !isCoordinate(source, axis))
      continue;
    Operand operand{static_cast<unsigned>(number), values[number].front(), {}};
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
      int64_t step = layout.applyRegister(reg)[axis];
      operand.ranges.push_back({step, step});
      values[number][reg] = arith::ConstantOp::create(
          builder, op.getLoc(), builder.getIntegerAttr(type, step));
    }
    operands.push_back(std::move(operand));
  }
}

/// Whether `predicate` holds for any two of which the first is less, or
/// greater.
static bool holds(arith::CmpIPredicate predicate, bool isLess) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return false;
  case Predicate::ne:
    return true;
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::ult:
  case Predicate::ule:
    return isLess;
  case Predicate::sgt:
  case Predicate::sge:
  case Predicate::ugt:
  case Predicate::uge:
    return !isLess;
  }
  llvm_unreachable("all predicates are handled");
}

IRMapping RegisterPlaces::compare(OpBuilder &builder, unsigned left,
                                  unsigned right) {
  IRMapping known;
  Block &body = op.getCombine().front();
  unsigned count = op.getSources().size();
  for (const Operand &operand : operands) {
    Range a = operand.ranges[left], b = operand.ranges[right];
    bool isLess = a.greatest < b.least;
    if (!isLess && b.greatest >= a.least)
      continue;
    for (auto compare : body.getOps<arith::CmpIOp>()) {
      if (compare.getLhs() == compare.getRhs())
        continue;
      bool isOfLeft = compare.getLhs() == body.getArgument(operand.number);
      if (!isOfLeft &&
          compare.getLhs() != body.getArgument(operand.number + count))
        continue;
      bool answer = holds(compare.getPredicate(), isLess == isOfLeft);
      known.map(compare.getResult(),
                Value(arith::ConstantIntOp::create(builder, op.getLoc(), answer,
                                                   /*width=*/1)));
    }
  }
  return known;
}

void RegisterPlaces::joinPairs(unsigned step) {
  for (Operand &operand : operands) {
    SmallVector<Range> joined;
    for (unsigned reg = 0; reg < operand.ranges.size(); ++reg)
      if (!(reg & step)) {
        Range a = operand.ranges[reg], b = operand.ranges[reg + step];
        joined.push_back(
            {std::min(a.least, b.least), std::max(a.greatest, b.greatest)});
      }
    operand.ranges = std::move(joined);
  }
}

void RegisterPlaces::restore(OpBuilder &builder, Registers &values) {
  for (const Operand &operand : operands)
    for (Value &place : values[operand.number])
      place =
          arith::AddIOp::create(builder, op.getLoc(), operand.shared, place);
}
