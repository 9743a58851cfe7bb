//===- PollInLoops.cpp - Long loops ask whether to go on ------------------===//
//
// A thread inside compiled code cannot be stopped from outside. A loop that may
// take long therefore asks the runtime now and then whether its launch still
// wants it: about every millisecond, by an estimate of what a round costs. A
// `for` loop is cut into pieces, and asks between two: its rounds stay as they
// are, and a loop that one piece suffices for pays a comparison or two. A
// `while` loop counts in each round.
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

/// Scalar operations from one question to the next: a tenth of a millisecond of
/// vectors, some milliseconds of functions of the C library.
constexpr int64_t kBudget = 1 << 20;

/// What a loop in a loop is taken to cost whose end is known at run time only:
/// so many rounds, and no less than that. The outer loop has to ask for inner
/// ones that are just too short to ask, without asking all the time if they are
/// very short.
constexpr int64_t kUnknownRounds = 16;
constexpr int64_t kUnknownCost = 1 << 12;

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

/// The scalar operations that `op` stands for.
int64_t estimate(Operation *op) {
  int64_t inside = 1;
  for (Region &region : op->getRegions())
    inside = plus(inside, estimate(region));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<int64_t> rounds = countRounds(loop))
      return times(inside, *rounds);
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return std::max(times(inside, kUnknownRounds), kUnknownCost);
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
      : function(function), builder(function.getContext()), poll(poll) {}

  void visit(const LongLoop &loop) {
    auto counted = dyn_cast<scf::ForOp>(loop.op);
    std::optional<int64_t> step;
    if (counted)
      step = getConstantIntValue(counted.getStep());
    if (step && *step > 0)
      return cutIntoPieces(counted, *step, loop.cost);
    Region &round =
        counted ? counted.getRegion() : cast<scf::WhileOp>(loop.op).getAfter();
    countIn(round, loop);
  }

private:
  Value integer(Location loc, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  /// Calls the runtime where `condition` holds; returns with the builder there.
  void askIf(Location loc, Value condition) {
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    LLVM::CallOp::create(builder, loc, poll, ValueRange{});
  }

  /// The operations that loops with a count may do before one of them asks.
  Value getBudget() {
    if (budget)
      return budget;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.front());
    Location loc = function.getLoc();
    Type type = builder.getI64Type();
    budget = LLVM::AllocaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type,
        integer(loc, type, 1));
    LLVM::StoreOp::create(builder, loc, integer(loc, type, kBudget), budget);
    return budget;
  }

  /// Takes what a round costs off the budget, and asks where none is left.
  void countIn(Region &round, const LongLoop &loop) {
    builder.setInsertionPointToStart(&round.front());
    Location loc = loop.op->getLoc();
    Type type = builder.getI64Type();
    Value had = LLVM::LoadOp::create(builder, loc, type, getBudget());
    Value left =
        arith::SubIOp::create(builder, loc, had, integer(loc, type, loop.cost));
    LLVM::StoreOp::create(builder, loc, left, budget);
    askIf(loc, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     left, integer(loc, type, 0)));
    LLVM::StoreOp::create(builder, loc, integer(loc, type, kBudget), budget);
  }

  /// for i = begin to end: round(i)
  ///
  /// becomes
  ///
  /// while begin < end:
  ///   isLast = end - begin <= piece
  ///   if not isLast: ask
  ///   stop = isLast ? end : begin + piece
  ///   for i = begin to stop: round(i)
  ///   begin = stop
  ///
  /// Distances are unsigned: `end - begin` fits where `begin < end`, and
  /// `begin + piece` does where it is less than `end`.
  void cutIntoPieces(scf::ForOp loop, int64_t step, int64_t cost) {
    Location loc = loop.getLoc();
    Type type = loop.getInductionVar().getType();
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    int64_t most = llvm::maxIntN(std::min(bits, 62u)) / step;
    int64_t rounds = std::max<int64_t>(
        1, std::min(most, kBudget / std::max<int64_t>(cost, 1)));
    auto pieces = createPieces(loop);
    builder.setInsertionPointToStart(pieces.getAfterBody());
    Value begin = pieces.getAfterArguments().front(),
          end = loop.getUpperBound();
    Value piece = integer(loc, type, rounds * step);
    Value distance = arith::SubIOp::create(builder, loc, end, begin);
    Value goesOn = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, distance, piece);
    askIf(loc, goesOn);
    builder.setInsertionPointToEnd(pieces.getAfterBody());
    Value sum = arith::AddIOp::create(builder, loc, begin, piece);
    Value stop = arith::SelectOp::create(builder, loc, goesOn, sum, end);
    auto rest =
        scf::ForOp::create(builder, loc, begin, stop, loop.getStep(),
                           pieces.getAfterArguments().drop_front(),
                           /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    rest.getRegion().takeBody(loop.getRegion());
    SmallVector<Value> results{stop};
    llvm::append_range(results, rest.getResults());
    scf::YieldOp::create(builder, loc, results);
    loop.replaceAllUsesWith(pieces.getResults().drop_front());
    loop.erase();
  }

  /// The loop over the pieces of `loop`, with an empty body.
  scf::WhileOp createPieces(scf::ForOp loop) {
    builder.setInsertionPoint(loop);
    SmallVector<Value> state{loop.getLowerBound()};
    llvm::append_range(state, loop.getInits());
    auto isLess = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                        : arith::CmpIPredicate::slt;
    return scf::WhileOp::create(
        builder, loop.getLoc(), ValueRange(state).getTypes(), state,
        [&](OpBuilder &inner, Location loc, ValueRange current) {
          Value goesOn = arith::CmpIOp::create(inner, loc, isLess, current[0],
                                               loop.getUpperBound());
          scf::ConditionOp::create(inner, loc, goesOn, current);
        },
        [](OpBuilder &, Location, ValueRange) {});
  }

  func::FuncOp function;
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
