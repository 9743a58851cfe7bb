//===- DotPrefetcher.cpp - What the next dot of a loop will read ----------===//
//
// The blocks of a matrix lie far apart, so no hardware guesses the next one in
// time. The kernel's own address arithmetic, built once more for the next
// iteration, tells where it is. A prefetch of a wrong address does no harm.
//
//===----------------------------------------------------------------------===//

#include "DotPrefetcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr int64_t kCacheLine = 64;

/// Builds values of a loop as they will be in its next iteration.
class NextIteration {
public:
  NextIteration(OpBuilder &builder, scf::ForOp loop)
      : builder(builder), loop(loop) {}

  /// Null if `value` depends on more than arithmetic.
  Value get(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (!loop.getRegion().isAncestor(value.getParentRegion()))
      return value;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return getArgument(argument);
    Operation *clone = rebuild(value.getDefiningOp(),
                               [&](Value operand) { return get(operand); });
    if (!clone)
      return {};
    mapping.map(value.getDefiningOp()->getResults(), clone->getResults());
    return mapping.lookup(value);
  }

private:
  /// `op` with other operands; null if it is not of the loop's own arithmetic,
  /// or there is none for one of them.
  Operation *rebuild(Operation *op, function_ref<Value(Value)> getOperand) {
    if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op))
      return nullptr;
    IRMapping operands;
    for (Value operand : op->getOperands()) {
      Value other = getOperand(operand);
      if (!other)
        return nullptr;
      operands.map(operand, other);
    }
    return builder.clone(*op, operands);
  }

  Value getArgument(BlockArgument argument) {
    if (argument.getOwner() != loop.getBody())
      return {};
    if (argument == loop.getInductionVar())
      return arith::AddIOp::create(builder, loop.getLoc(), argument,
                                   loop.getStep());
    // What this iteration yields is what the next one has.
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    return getInThisIteration(yielded);
  }

  /// `value` of this iteration, which may be computed further down.
  Value getInThisIteration(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return value;
    Operation *clone =
        rebuild(op, [&](Value operand) { return getInThisIteration(operand); });
    return clone ? clone->getResult(cast<OpResult>(value).getResultNumber())
                 : Value();
  }

  OpBuilder &builder;
  scf::ForOp loop;
  IRMapping mapping;
};

/// The view of memory behind casts, and behind the copy that a bound may need.
Value findView(Value operand) {
  while (Operation *op = operand.getDefiningOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      operand = branch.elseYield().getOperand(
          cast<OpResult>(operand).getResultNumber());
    else if (auto cast = dyn_cast<memref::CastOp>(op))
      operand = cast.getSource();
    else
      break;
  }
  return operand;
}

Value buildNextView(OpBuilder &builder, Value operand) {
  auto view = findView(operand).getDefiningOp<memref::ReinterpretCastOp>();
  auto loop = view ? dyn_cast<scf::ForOp>(view->getParentOp()) : nullptr;
  return loop ? NextIteration(builder, loop).get(view) : Value();
}

} // namespace

DotPrefetcher::DotPrefetcher(OpBuilder &builder, const Dot &dot,
                             int64_t tileRows, int64_t tileColumns)
    : loc(dot.loc), nextLeft(buildNextView(builder, dot.leftSource)),
      nextRight(buildNextView(builder, dot.rightSource)), tileRows(tileRows),
      tileColumns(tileColumns), rowTiles(dot.rows / tileRows),
      columnTiles(dot.columns / tileColumns), depth(dot.depth) {}

void DotPrefetcher::build(OpBuilder &builder, Value row, Value column) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto prefetch = [&](Value view, Value i, Value j) {
    memref::PrefetchOp::create(builder, loc, view, ValueRange{i, j},
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  };
  auto plus = [&](Value value, int64_t distance) -> Value {
    return arith::AddIOp::create(builder, loc, value, constant(distance));
  };
  auto perLine = [](Value view) {
    auto type = cast<MemRefType>(view.getType());
    return kCacheLine * 8 / int64_t(type.getElementTypeBitWidth());
  };
  // The cache lines of the rows of the left operand are shared out to the tiles
  // of a row, those of the right one to the tiles of a column.
  if (nextLeft) {
    int64_t line = perLine(nextLeft);
    int64_t share = std::max<int64_t>(1, depth / line / columnTiles);
    Value tile =
        arith::DivUIOp::create(builder, loc, column, constant(tileColumns));
    Value first =
        arith::MulIOp::create(builder, loc, tile, constant(share * line));
    for (int64_t i = 0; i < tileRows; ++i)
      for (int64_t k = 0; k < share; ++k)
        prefetch(nextLeft, plus(row, i), plus(first, k * line));
  }
  if (!nextRight || depth < rowTiles)
    return;
  int64_t share = depth / rowTiles;
  Value tile = arith::DivUIOp::create(builder, loc, row, constant(tileRows));
  Value first = arith::MulIOp::create(builder, loc, tile, constant(share));
  for (int64_t k = 0; k < share; ++k)
    for (int64_t j = 0; j < tileColumns; j += perLine(nextRight))
      prefetch(nextRight, plus(first, k), plus(column, j));
}
