//===- StartLongest.cpp - Programs with most turns begin first ------------===//
//
// A GPU begins programs in the order of their numbers. Where those at the end
// take longest, as in causal attention, most multiprocessors wait for a few at
// last. In the opposite order the shortest fill what is left.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASTARTLONGEST
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// How an integer changes from one program to the next: by a known number, or
/// in a direction at least.
struct Change {
  static Change by(int64_t step) {
    return {step > 0 ? 1 : step < 0 ? -1 : 0, step};
  }
  static Change towards(int direction) { return {direction, std::nullopt}; }
  static Change unknown() { return {std::nullopt, std::nullopt}; }

  Change negate() const {
    return {direction ? std::optional(-*direction) : std::nullopt,
            step ? std::optional(-*step) : std::nullopt};
  }
  /// Of the sum of two such numbers.
  Change operator+(const Change &other) const {
    if (step && other.step)
      return by(*step + *other.step);
    return eitherWay(other);
  }
  /// Of what is one of them, or between them.
  Change eitherWay(const Change &other) const {
    if (!direction || !other.direction || *direction * *other.direction < 0)
      return unknown();
    return towards(*direction ? *direction : *other.direction);
  }

  /// -1, 0 or 1; nothing if it is not known.
  std::optional<int> direction;
  std::optional<int64_t> step;
};

/// Follows integers back to the number of the program. Sums are taken not to
/// overflow: a wrong answer is slower, and nothing else.
class ChangeFinder {
public:
  explicit ChangeFinder(Value program) : program(program) {}

  Change find(Value value) {
    if (value == program)
      return Change::by(1);
    Operation *op = value.getDefiningOp();
    if (!op)
      return isa<func::FuncOp>(value.getParentBlock()->getParentOp())
                 ? Change::by(0)
                 : Change::unknown();
    auto [known, isNew] = changes.try_emplace(value, Change::unknown());
    if (!isNew)
      return known->second;
    Change change = compute(op);
    changes[value] = change;
    return change;
  }

private:
  static std::optional<int64_t> getConstant(Value value) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant))
               ? constant.trySExtValue()
               : std::nullopt;
  }

  Change compute(Operation *op) {
    auto operand = [&](unsigned i) { return find(op->getOperand(i)); };
    return llvm::TypeSwitch<Operation *, Change>(op)
        .Case<arith::AddIOp>([&](auto) { return operand(0) + operand(1); })
        .Case<arith::SubIOp>(
            [&](auto) { return operand(0) + operand(1).negate(); })
        .Case<arith::MulIOp>([&](auto) { return multiply(op); })
        .Case<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp>([&](auto) {
          std::optional<int64_t> by = getConstant(op->getOperand(1));
          Change change = operand(0);
          bool isKnown = by && *by > 0 && change.direction;
          return isKnown ? Change::towards(*change.direction) : otherwise(op);
        })
        .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
            [&](auto) { return operand(0).eitherWay(operand(1)); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
              arith::IndexCastOp>([&](auto) { return operand(0); })
        .Default([&](Operation *) { return otherwise(op); });
  }

  Change multiply(Operation *op) {
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> by = getConstant(op->getOperand(i))) {
        Change change = find(op->getOperand(1 - i));
        if (change.step)
          return Change::by(*change.step * *by);
        return *by < 0 ? change.negate() : change;
      }
    return otherwise(op);
  }

  /// What is computed from numbers that do not change does not either.
  Change otherwise(Operation *op) {
    bool isSame = op->getNumRegions() == 0 && isPure(op) &&
                  llvm::all_of(op->getOperands(), [&](Value value) {
                    return find(value).direction == 0;
                  });
    return isSame ? Change::by(0) : Change::unknown();
  }

  Value program;
  DenseMap<Value, Change> changes;
};

/// Loops that take time: those of products.
SmallVector<scf::ForOp> findLongLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    WalkResult result =
        loop.walk([](cta::DotOp) { return WalkResult::interrupt(); });
    if (result.wasInterrupted())
      loops.push_back(loop);
  });
  return loops;
}

/// True if programs with higher numbers take more turns, and no loop fewer.
bool isLongestLast(ArrayRef<scf::ForOp> loops, Value program) {
  ChangeFinder finder(program);
  bool grows = false;
  for (scf::ForOp loop : loops) {
    Change turns = finder.find(loop.getUpperBound()) +
                   finder.find(loop.getLowerBound()).negate();
    if (turns.direction == -1)
      return false;
    grows |= turns.direction == 1;
  }
  return grows;
}

/// True if programs may wait for those before them, or tell in which order they
/// run.
bool isOrdered(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        auto access = dyn_cast<tts::AccessOpInterface>(op);
        bool orders = isa<scf::WhileOp, tts::AssertOp, tts::PrintOp>(op) ||
                      (access && (access.waits() ||
                                  (access.isAtomic() && !op->use_empty())));
        return orders ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct CtaStartLongest
    : triton_shared::impl::CtaStartLongestBase<CtaStartLongest> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function) && !isOrdered(function))
        reverse(function);
  }

private:
  /// Each number of the program counts from the other end where that helps.
  static void reverse(func::FuncOp function) {
    SmallVector<scf::ForOp> loops = findLongLoops(function);
    tts::KernelSignature signature(function);
    constexpr std::pair<tts::ParameterKind, tts::ParameterKind> kAxes[] = {
        {tts::ParameterKind::ProgramX, tts::ParameterKind::GridX},
        {tts::ParameterKind::ProgramY, tts::ParameterKind::GridY},
        {tts::ParameterKind::ProgramZ, tts::ParameterKind::GridZ}};
    for (auto [programKind, gridKind] : kAxes) {
      Value program = signature.find(programKind);
      Value grid = signature.find(gridKind);
      if (!program || !grid || !isLongestLast(loops, program))
        continue;
      auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
      Location loc = function.getLoc();
      Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
      Value last = arith::SubIOp::create(builder, loc, grid, one);
      Value turned = arith::SubIOp::create(builder, loc, last, program);
      program.replaceAllUsesExcept(turned, turned.getDefiningOp());
    }
  }
};

} // namespace
