//===- PollInLoops.cpp - Long loops ask whether to go on ------------------===//
//
// A thread inside compiled code cannot be stopped from outside. A loop that may
// take long therefore asks the runtime now and then whether its launch still
// wants it: after every few milliseconds' worth of work, by an estimate of what
// a round costs. A `for` loop is cut into a loop of loops, so that its rounds
// stay as they are, free of calls; a `while` loop counts in each round.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUPOLLINLOOPS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr StringLiteral kPollFunction = "tritonSharedPoll";

/// Scalar operations from one question to the next: a millisecond of vectors,
/// some tens of milliseconds of functions of the C library.
constexpr int64_t kBudget = 1 << 22;

/// What a dimension has that is known at run time only: a block's size is
/// known, so this is a part of one.
constexpr int64_t kUnknownSize = 64;

int64_t times(int64_t lhs, int64_t rhs) {
  return llvm::SaturatingMultiply<uint64_t>(lhs, rhs) > INT64_MAX / 2
             ? INT64_MAX / 2
             : lhs * rhs;
}

int64_t plus(int64_t lhs, int64_t rhs) {
  return std::min(lhs + rhs, INT64_MAX / 2);
}

int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count = times(count, ShapedType::isDynamic(size) ? kUnknownSize : size);
  return count;
}

int64_t estimate(Region &region);

/// The rounds of a loop, if they are known.
std::optional<int64_t> countRounds(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  if (!count)
    return std::nullopt;
  return static_cast<int64_t>(count->getLimitedValue(INT64_MAX / 2));
}

/// The scalar operations that `op` stands for. A loop whose end is known at
/// run time only counts one round: it asks for itself.
int64_t estimate(Operation *op) {
  int64_t inside = 1;
  for (Region &region : op->getRegions())
    inside = plus(inside, estimate(region));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return times(inside, countRounds(loop).value_or(1));
  if (auto computation = dyn_cast<linalg::LinalgOp>(op))
    return times(inside, countElements(computation.getStaticLoopRanges()));
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return countElements(
        cast<ShapedType>(copy.getTarget().getType()).getShape());
  return inside;
}

int64_t estimate(Region &region) {
  int64_t sum = 0;
  for (Operation &op : region.getOps())
    sum = plus(sum, estimate(&op));
  return sum;
}

/// A loop with what a round of it costs.
struct LongLoop {
  Operation *op;
  int64_t cost;
};

/// The loops whose rounds, as far as is known, take longer than the budget.
SmallVector<LongLoop> findLongLoops(func::FuncOp function) {
  SmallVector<LongLoop> found;
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      int64_t cost = estimate(loop.getRegion());
      std::optional<int64_t> rounds = countRounds(loop);
      if (!rounds || times(*rounds, cost) > kBudget)
        found.push_back({op, cost});
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      found.push_back(
          {op, plus(estimate(loop.getBefore()), estimate(loop.getAfter()))});
    }
  });
  return found;
}

/// Makes the loops of one function ask.
class Poller {
public:
  Poller(func::FuncOp function, LLVM::LLVMFuncOp poll)
      : builder(OpBuilder::atBlockBegin(&function.front())), poll(poll) {
    Location loc = function.getLoc();
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
    budget = LLVM::AllocaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        builder.getI64Type(), one);
    refill(loc);
  }

  void visit(const LongLoop &loop) {
    auto counted = dyn_cast<scf::ForOp>(loop.op);
    std::optional<int64_t> step;
    if (counted)
      step = getConstantIntValue(counted.getStep());
    if (step && *step > 0)
      return cutIntoPieces(counted, *step, loop.cost);
    Region &round =
        counted ? counted.getRegion() : cast<scf::WhileOp>(loop.op).getAfter();
    builder.setInsertionPointToStart(&round.front());
    spend(loop.op->getLoc(), integer(loop.op->getLoc(), loop.cost));
  }

private:
  Value integer(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  void refill(Location loc) {
    LLVM::StoreOp::create(builder, loc, integer(loc, kBudget), budget);
  }

  /// Takes `cost` off the budget; asks where nothing is left of it.
  void spend(Location loc, Value cost) {
    Value had =
        LLVM::LoadOp::create(builder, loc, builder.getI64Type(), budget);
    Value left = arith::SubIOp::create(builder, loc, had, cost);
    LLVM::StoreOp::create(builder, loc, left, budget);
    Value isSpent = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, left, integer(loc, 0));
    auto branch = scf::IfOp::create(builder, loc, isSpent,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    LLVM::CallOp::create(builder, loc, poll, ValueRange{});
    refill(loc);
  }

  /// for i = begin to end: round(i)
  ///
  /// becomes
  ///
  /// while begin < end:
  ///   piece = min(end - begin, the steps that the budget is enough for)
  ///   spend(piece)
  ///   for i = begin to begin + piece: round(i)
  ///   begin += piece
  ///
  /// Distances are unsigned: `end - begin` fits where `begin < end`, and
  /// `begin + piece` never goes beyond `end`.
  void cutIntoPieces(scf::ForOp loop, int64_t step, int64_t cost) {
    Location loc = loop.getLoc();
    Type type = loop.getInductionVar().getType();
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    int64_t most = llvm::maxIntN(std::min(bits, 62u)) / step;
    int64_t rounds = std::max<int64_t>(
        1, std::min(most, kBudget / std::max<int64_t>(cost, 1)));
    builder.setInsertionPoint(loop);
    Value end = loop.getUpperBound();
    SmallVector<Value> operands{loop.getLowerBound()};
    llvm::append_range(operands, loop.getInits());
    auto pieces = scf::WhileOp::create(
        builder, loc, ValueRange(operands).getTypes(), operands,
        [&](OpBuilder &inner, Location, ValueRange state) {
          auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                 : arith::CmpIPredicate::slt;
          Value goesOn =
              arith::CmpIOp::create(inner, loc, predicate, state[0], end);
          scf::ConditionOp::create(inner, loc, goesOn, state);
        },
        [](OpBuilder &, Location, ValueRange) {});
    builder.setInsertionPointToStart(pieces.getAfterBody());
    ValueRange state = pieces.getAfterArguments();
    Value distance = arith::SubIOp::create(builder, loc, end, state[0]);
    Value whole = createConstant(loc, type, rounds * step);
    Value isLast = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, distance, whole);
    Value piece =
        arith::SelectOp::create(builder, loc, isLast, distance, whole);
    spend(loc, costOf(loc, piece, step, cost));
    Value next = arith::AddIOp::create(builder, loc, state[0], piece);
    Value stop = arith::SelectOp::create(builder, loc, isLast, end, next);
    auto rest = scf::ForOp::create(
        builder, loc, state[0], stop, loop.getStep(), state.drop_front(),
        /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    rest.getRegion().takeBody(loop.getRegion());
    SmallVector<Value> results{stop};
    llvm::append_range(results, rest.getResults());
    scf::YieldOp::create(builder, loc, results);
    loop.replaceAllUsesWith(pieces.getResults().drop_front());
    loop.erase();
  }

  Value createConstant(Location loc, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  /// What the rounds of `distance`, an integer without sign, cost.
  Value costOf(Location loc, Value distance, int64_t step, int64_t cost) {
    Type i64 = builder.getI64Type();
    if (distance.getType().isIndex())
      distance = arith::IndexCastUIOp::create(builder, loc, i64, distance);
    else if (!distance.getType().isInteger(64))
      distance = arith::ExtUIOp::create(builder, loc, i64, distance);
    Value rounds = step == 1 ? distance
                             : arith::DivUIOp::create(builder, loc, distance,
                                                      integer(loc, step))
                                   .getResult();
    return arith::MulIOp::create(builder, loc, rounds, integer(loc, cost));
  }

  OpBuilder builder;
  LLVM::LLVMFuncOp poll;
  Value budget;
};

/// Touches no memory that the program sees; may not come back.
LLVM::LLVMFuncOp declarePoll(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {});
  auto poll =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), kPollFunction, type);
  poll.setNoUnwind(true);
  poll.setPassthroughAttr(builder.getArrayAttr(builder.getStringAttr("cold")));
  poll.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      context, {LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
                LLVM::ModRefInfo::ModRef, LLVM::ModRefInfo::NoModRef,
                LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef}));
  return poll;
}

struct CpuPollInLoops
    : triton_shared::impl::CpuPollInLoopsBase<CpuPollInLoops> {
  void runOnOperation() override {
    LLVM::LLVMFuncOp poll;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      SmallVector<LongLoop> loops = findLongLoops(function);
      if (loops.empty())
        continue;
      if (!poll)
        poll = declarePoll(getOperation());
      Poller poller(function, poll);
      for (const LongLoop &loop : loops)
        poller.visit(loop);
    }
  }
};

} // namespace
