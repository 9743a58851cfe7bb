//===- TurnAhead.cpp - What is between products, a turn ahead -------------===//

#include "TurnAhead.h"

#include "LastingDot.h"
#include "TakenValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

std::optional<TurnAhead> TurnAhead::find(scf::ForOp loop, cta::DotOp first,
                                         cta::DotOp last) {
  TurnAhead found(loop, first, last);
  if (found.collect() && found.multipliesLong() && found.hasSlotAhead() &&
      found.fitsIntoRegisters())
    return found;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What a turn has
//===----------------------------------------------------------------------===//

/// Sorts what is in a turn. False if there is something that has to stay where
/// it is.
bool TurnAhead::collect() {
  if (!collectSum())
    return false;
  Guarded *next = &first, *done = nullptr;
  llvm::SmallPtrSet<Value, 16> added{loop.getRegionIterArg(sum)};
  auto isAdded = [&](Value value) { return added.contains(value); };
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == first.dot) {
      done = &first;
      next = &last;
    } else if (&op == last.dot) {
      done = &last;
      next = nullptr;
    } else if (isa<cta::WaitMbarrierOp>(op) && next) {
      next->waits.push_back(&op);
    } else if (isa<cta::ArriveOp>(op) && done) {
      done->releases.push_back(&op);
    } else if (!isMemoryEffectFree(&op)) {
      return false;
    } else if (takesAny(&op, isAdded)) {
      added.insert_range(op.getResults());
      updates.push_back(&op);
    } else {
      powers.push_back(&op);
    }
  }
  if (first.waits.empty() || last.waits.empty() || takesAny(first.dot, isAdded))
    return false;
  collectTaken();
  SmallVector<Operation *> ahead(first.waits);
  ahead.append(first.releases);
  ahead.append(last.waits);
  ahead.push_back(first.dot);
  return llvm::all_of(ahead,
                      [&](Operation *op) { return slice.addOperandsOf(op); });
}

/// Finds the iterated value that the last product makes, and nothing else of
/// the turn takes.
bool TurnAhead::collectSum() {
  Block *body = loop.getBody();
  if (first.dot->getBlock() != body || last.dot->getBlock() != body ||
      !last.dot->hasOneUse())
    return false;
  OpOperand &use = *last.dot->use_begin();
  sum = use.getOperandNumber();
  return use.getOwner() == body->getTerminator();
}

void TurnAhead::collectTaken() {
  SmallVector<Operation *> takers(last.releases);
  takers.push_back(last.dot);
  for (Operation *op : takers)
    for (Value value : op->getOperands())
      if (!loop.isDefinedOutsideOfLoop(value))
        taken.insert(value);
}

/// True if the products take about as long as what is computed between them:
/// where they do not, the tensor cores would rest all the same.
bool TurnAhead::multipliesLong() {
  constexpr int64_t kLeastDepth = 256;
  int64_t depth = cta::DotOp::getOperandShape(first.dot.getA())[1] +
                  cta::getTile(last.dot.getResult()).getDimSize(1);
  return depth >= kLeastDepth;
}

/// True if the last product's operands of a turn can be there before those of
/// the turn before are free.
bool TurnAhead::hasSlotAhead() {
  auto type = dyn_cast<cta::BufferType>(last.dot.getB().getType());
  return type && type.getSlots() > 1;
}

/// True if `value` is a tile of the shape of `tile`, with elements of `bits`.
static bool isLike(Value value, RankedTensorType tile, unsigned bits) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getShape() == tile.getShape() &&
         type.getElementTypeBitWidth() == bits;
}

/// True if a thread can hold what the loop carries, the sums of the first
/// product, which become powers, and the left operands of two last products.
bool TurnAhead::fitsIntoRegisters() {
  constexpr int64_t kMostPerThread = 208, kRegisterBytes = 4;
  RankedTensorType sums = cta::getTile(first.dot.getResult());
  SmallVector<Type> held(loop.getResultTypes());
  held.append({sums, last.dot.getA().getType(), last.dot.getA().getType()});
  auto isMask = [&](Value value) { return isLike(value, sums, 1); };
  auto isUpdated = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return llvm::is_contained(updates,
                                loop.getBody()->findAncestorOpInBlock(*user));
    });
  };
  SmallVector<Value> made(first.dot->getResults());
  for (Operation *op : powers)
    llvm::append_range(made, op->getResults());
  // Places are held beside what they are those of.
  if (llvm::any_of(made, isMask))
    return false;
  // So is what is looked at again when the last product is there. Rows that
  // are repeated take no registers.
  for (Value value : made)
    if (isLike(value, sums, 32) && !value.getDefiningOp<cta::BroadcastOp>() &&
        !value.getDefiningOp<cta::SplatOp>() && isUpdated(value))
      held.push_back(sums);
  int64_t bytes = 0;
  for (Type type : held)
    if (auto tile = dyn_cast<RankedTensorType>(type))
      bytes += cta::getTileBytes(tile);
  auto function = loop->getParentOfType<func::FuncOp>();
  int64_t threads = 32 * cta::getNumWarps(function).value_or(1);
  return bytes <= kMostPerThread * kRegisterBytes * threads;
}

//===----------------------------------------------------------------------===//
// A turn again
//===----------------------------------------------------------------------===//

static void cloneAll(OpBuilder &builder, ArrayRef<Operation *> operations,
                     IRMapping &mapping) {
  for (Operation *op : operations)
    builder.clone(*op, mapping);
}

static cta::DotOp cloneDot(OpBuilder &builder, cta::DotOp dot,
                           IRMapping &mapping) {
  return cast<cta::DotOp>(builder.clone(*dot, mapping));
}

/// What a turn hands on, but for the sum, and what its last product takes.
SmallVector<Value> TurnAhead::getCarried(const IRMapping &mapping) const {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    values.push_back(mapping.lookupOrDefault(value));
  };
  scf::ForOp turns = loop;
  for (auto [number, value] : llvm::enumerate(turns.getYieldedValues()))
    if (number != sum)
      add(value);
  llvm::for_each(taken, add);
  return values;
}

/// The other way round: `values` are what a turn, `now`, has carried so far to
/// the one after it, `next`.
void TurnAhead::mapCarried(IRMapping &now, IRMapping &next,
                           ValueRange values) const {
  scf::ForOp turns = loop;
  for (auto [number, argument] : llvm::enumerate(turns.getRegionIterArgs()))
    if (number != sum) {
      next.map(argument, values.front());
      values = values.drop_front();
    }
  for (auto [value, carried] : llvm::zip(taken, values))
    now.map(value, carried);
}

/// Where a loop ends that leaves the last turn out. There is one.
static Value createLastTurn(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value bound = loop.getUpperBound(), step = loop.getStep();
  if (loop.getUnsignedCmp()) {
    bound = arith::MaxUIOp::create(builder, loc, bound, step);
    return arith::SubIOp::create(builder, loc, bound, step);
  }
  // A step above the smallest number there is one turn at most.
  unsigned width = bound.getType().getIntOrFloatBitWidth();
  Value least = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(bound.getType(), APInt::getSignedMinValue(width)));
  least = arith::AddIOp::create(builder, loc, least, step);
  bound = arith::MaxSIOp::create(builder, loc, bound, least);
  return arith::SubIOp::create(builder, loc, bound, step);
}

/// Lets the waits for the last product's operands seem to depend on what `turn`
/// has summed up: no sum of powers is below zero. ptxas would add up behind the
/// wait for that product, when the tensor cores have nothing to do, where a
/// branch follows it; where the sums of products are always multiplied, it does
/// not.
void TurnAhead::waitForSums(OpBuilder &builder, IRMapping &turn) const {
  if (llvm::none_of(updates,
                    [](Operation *op) { return isa<cta::RescaleOp>(op); }))
    return;
  scf::ForOp turns = loop;
  SmallVector<Value> negative;
  for (Value value : turns.getYieldedValues()) {
    auto sum = value.getDefiningOp<arith::AddFOp>();
    if (!sum || !isa<RankedTensorType>(value.getType()) ||
        !llvm::is_contained(powers, sum.getOperation()))
      continue;
    Value now = turn.lookup(value);
    Value zero = arith::ConstantOp::create(builder, sum.getLoc(),
                                           builder.getZeroAttr(now.getType()));
    negative.push_back(arith::CmpFOp::create(
        builder, sum.getLoc(), arith::CmpFPredicate::OLT, now, zero));
  }
  if (negative.empty())
    return;
  Location loc = negative.front().getLoc();
  Value any =
      cta::WarpAnyOp::create(builder, loc, builder.getI1Type(), negative);
  any = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), any);
  for (Operation *op : last.waits) {
    Value phase = cast<cta::WaitMbarrierOp>(op).getPhase();
    turn.map(phase, arith::XOrIOp::create(builder, loc,
                                          turn.lookupOrDefault(phase), any));
  }
}

/// Gives the left operand of the next last product registers of its own, which
/// `turn` has computed beside the product in flight. What is only narrowed
/// LLVM carries wide, and narrows behind the wait.
void TurnAhead::moveLeft(OpBuilder &builder, IRMapping &turn) {
  Value left = last.dot.getA();
  if (left.getDefiningOp<cta::ConvertLayoutOp>())
    turn.map(left,
             cta::MoveOp::create(builder, left.getLoc(), turn.lookup(left)));
}

/// The loop of all turns but the last. `begin` is what the first turn has
/// carried so far.
scf::ForOp TurnAhead::createLoop(OpBuilder &builder, ValueRange begin,
                                 AheadProducts &made) {
  Location loc = loop.getLoc();
  auto turns = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                  createLastTurn(builder, loop), loop.getStep(),
                                  begin, nullptr, loop.getUnsignedCmp());
  auto inside = OpBuilder::atBlockEnd(turns.getBody());
  IRMapping now, next;
  mapCarried(now, next, turns.getRegionIterArgs());
  next.map(loop.getInductionVar(),
           arith::AddIOp::create(inside, loc, turns.getInductionVar(),
                                 turns.getStep()));
  slice.clone(inside, next);
  cloneAll(inside, first.waits, next);
  made.ahead = cloneDot(inside, first.dot, next);
  made.last = cloneDot(inside, last.dot, now);
  next.map(first.dot.getResult(), letGoOn(inside, made.ahead, /*turns=*/1));
  cloneAll(inside, first.releases, next);
  cloneAll(inside, powers, next);
  // A branch between powers and the wait for the last product: ptxas would
  // wait before it computes.
  IRMapping waits = next;
  waitForSums(inside, waits);
  cloneAll(inside, last.waits, waits);
  next.map(loop.getRegionIterArg(sum), letGoOn(inside, made.last, /*turns=*/0));
  moveLeft(inside, next);
  cloneAll(inside, last.releases, now);
  cloneAll(inside, updates, next);
  scf::YieldOp::create(inside, loc, getCarried(next));
  return turns;
}

AheadProducts TurnAhead::move() {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  scf::IfOp guard =
      createTurnsBranch(builder, loop, createIsNotEmpty(builder, loop));

  AheadProducts made;
  builder.setInsertionPointToStart(guard.thenBlock());
  IRMapping begin;
  begin.map(loop.getInductionVar(), loop.getLowerBound());
  begin.map(loop.getRegionIterArgs(), loop.getInitArgs());
  slice.clone(builder, begin);
  cloneAll(builder, first.waits, begin);
  made.begin = cloneDot(builder, first.dot, begin);
  begin.map(first.dot.getResult(), letGoOn(builder, made.begin, /*turns=*/0));
  cloneAll(builder, first.releases, begin);
  cloneAll(builder, powers, begin);
  cloneAll(builder, last.waits, begin);
  cloneAll(builder, updates, begin);

  scf::ForOp turns = createLoop(builder, getCarried(begin), made);
  builder.setInsertionPointAfter(turns);
  IRMapping end, behind;
  mapCarried(end, behind, turns.getResults());
  made.end = cloneDot(builder, last.dot, end);
  behind.map(loop.getRegionIterArg(sum),
             letGoOn(builder, made.end, /*turns=*/0));
  cloneAll(builder, last.releases, end);
  scf::YieldOp::create(
      builder, loc,
      llvm::map_to_vector(loop.getRegionIterArgs(), [&](Value argument) {
        return behind.lookup(argument);
      }));
  loop->replaceAllUsesWith(guard.getResults());
  loop->erase();
  return made;
}
