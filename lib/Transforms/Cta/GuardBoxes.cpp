//===- GuardBoxes.cpp - Loops of pointers that load boxes -----------------===//

#include "AheadLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/GuardedBox.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAGUARDBOXES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A loop, and what its loads are under the guard.
struct GuardedLoop {
  scf::ForOp loop;
  SmallVector<std::pair<tts::LoadOp, GuardedBox>> loads;
};

/// Makes the two loops of one.
class LoopGuard {
public:
  explicit LoopGuard(const GuardedLoop &guarded)
      : loop(guarded.loop), loads(guarded.loads), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    auto guard = scf::IfOp::create(builder, loc, loop.getResultTypes(),
                                   createCondition(), /*withElseRegion=*/true);
    loop.replaceAllUsesWith(guard.getResults());
    builder.setInsertionPointToStart(guard.thenBlock());
    IRMapping mapping;
    auto boxes = cast<scf::ForOp>(builder.clone(*loop, mapping));
    scf::YieldOp::create(builder, loc, boxes.getResults());
    for (auto [load, box] : loads)
      makeBox(cast<tts::LoadOp>(mapping.lookup(load.getOperation())), box);
    loop->moveBefore(guard.elseBlock(), guard.elseBlock()->end());
    builder.setInsertionPointAfter(loop);
    scf::YieldOp::create(builder, loc, loop.getResults());
  }

private:
  Value createI64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value createI64(OpFoldResult number) {
    if (auto value = dyn_cast<Value>(number))
      return value;
    return createI64(*getConstantIntValue(number));
  }

  /// That there are all tensor maps, and no block goes round.
  Value createCondition() {
    auto function = loop->getParentOfType<func::FuncOp>();
    Value missing = tts::KernelSignature::getOrAppend(
        function, tts::ParameterKind::MissingTensorMaps, builder.getI32Type());
    Value condition = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, missing,
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    for (auto [load, box] : loads) {
      ArrayRef<int64_t> shape = load.getTileType().getShape();
      for (auto [dimension, size] :
           llvm::zip_equal(load.getDimensions(), shape)) {
        if (!dimension.isWrapped())
          continue;
        Value last = arith::AddIOp::create(builder, loc, dimension.wrapStart,
                                           createI64(size));
        Value isInside = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::sle, last, dimension.wrapSize);
        condition = arith::AndIOp::create(builder, loc, condition, isInside);
      }
    }
    return condition;
  }

  Value createSize(tts::LaunchNumber size) {
    if (!size.isArgument)
      return createI64(size.value);
    Value argument =
        loop->getParentOfType<func::FuncOp>().getArgument(size.value);
    return argument.getType().isInteger(64)
               ? argument
               : arith::ExtSIOp::create(builder, loc, builder.getI64Type(),
                                        argument);
  }

  /// Says of `load` what is so under the guard: its bounds are where the tensor
  /// begins and ends.
  void makeBox(tts::LoadOp load, const GuardedBox &box) {
    builder.setInsertionPoint(load);
    Value zero = createI64(0), offset = zero;
    SmallVector<tts::DimensionAccess> dimensions = load.getDimensions();
    for (auto [dimension, number] : llvm::zip_equal(dimensions, box.sizes)) {
      Value size = createSize(number);
      Value start =
          dimension.isWrapped()
              ? dimension.wrapStart
              : arith::SubIOp::create(builder, loc, size, dimension.high);
      dimension.low = arith::SubIOp::create(builder, loc, zero, start);
      if (dimension.isWrapped())
        dimension.high = arith::SubIOp::create(builder, loc, size, start);
      dimension.wrapStart = dimension.wrapSize = nullptr;
      Value step = arith::MulIOp::create(builder, loc, start,
                                         createI64(dimension.stride));
      offset = arith::AddIOp::create(builder, loc, offset, step);
    }
    auto made = tts::LoadOp::create(builder, load.getLoc(), load.getType(),
                                    load.getBase(), offset, dimensions, Value(),
                                    load.getOther());
    made.setCacheAttr(load.getCacheAttr());
    made.setEvictAttr(load.getEvictAttr());
    load.replaceAllUsesWith(made.getResult());
    load.erase();
  }

  scf::ForOp loop;
  ArrayRef<std::pair<tts::LoadOp, GuardedBox>> loads;
  OpBuilder builder;
  Location loc;
};

/// Finds the loops of one function.
class GuardedLoops {
public:
  GuardedLoops(func::FuncOp function, const DataFlowSolver &solver)
      : function(function), solver(solver), described(function, solver),
        guarded(function, solver) {}

  SmallVector<GuardedLoop> find() {
    SmallVector<GuardedLoop> found;
    if (!cta::getTarget(function).hasTma() || hasDescribedBoxes())
      return found;
    function.walk([&](scf::ForOp loop) {
      if (std::optional<GuardedLoop> one = plan(loop))
        found.push_back(std::move(*one));
    });
    return found;
  }

private:
  bool hasDescribedBoxes() {
    return function
        .walk([&](tts::AccessOpInterface access) {
          bool isBox =
              isa<RankedTensorType>(access.getTile().getType()) &&
              std::holds_alternative<TensorBox>(described.analyze(access));
          return isBox ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  std::optional<GuardedLoop> plan(scf::ForOp loop) {
    LoopSlice slice(loop);
    GuardedLoop found = {loop, {}};
    bool isWorth = false;
    for (const AheadLoad &ahead :
         AheadLoads(loop, solver, described).find(slice)) {
      auto load = cast<tts::LoadOp>(ahead.load);
      std::optional<GuardedBox> box = findBox(load, loop);
      if (!ahead.isMatrix || !box)
        return std::nullopt;
      isWorth |= isAcrossK(*findMatrixUse(load), *box);
      found.loads.emplace_back(load, *box);
    }
    return isWorth ? std::optional(found) : std::nullopt;
  }

  /// Threads copy such rows with a bound for each. Along K they share one, and
  /// that was as fast as TMA when both were measured (docs/performance.md).
  static bool isAcrossK(OpOperand &use, const GuardedBox &box) {
    auto dot = cast<cta::DotOp>(use.getOwner());
    return box.innermost != (use == dot.getAMutable() ? 1u : 0u);
  }

  std::optional<GuardedBox> findBox(tts::LoadOp load, scf::ForOp loop) {
    OpOperand *use = findMatrixUse(load);
    GuardedBoxAnalysis::Result result = guarded.analyze(load, loop);
    auto *box = std::get_if<GuardedBox>(&result);
    bool isCopied = box && use &&
                    !mayWrite(function.getBody(), load.getBase()) &&
                    cta::findMatrixLayout(*use, box->innermost);
    return isCopied ? std::optional(*box) : std::nullopt;
  }

  func::FuncOp function;
  const DataFlowSolver &solver;
  TensorBoxAnalysis described;
  GuardedBoxAnalysis guarded;
};

struct CtaGuardBoxes : triton_shared::impl::CtaGuardBoxesBase<CtaGuardBoxes> {
  void runOnOperation() override {
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    SmallVector<GuardedLoop> found;
    getOperation().walk([&](func::FuncOp function) {
      if (function->hasAttr(cta::kNumWarps))
        llvm::append_range(found, GuardedLoops(function, solver).find());
    });
    for (const GuardedLoop &guarded : found)
      LoopGuard(guarded).run();
  }
};

} // namespace
