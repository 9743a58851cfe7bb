//===- UnrollDots.cpp - Several dots of a sum in one turn -----------------===//
//
// A sum of dots is read and written once for each of them. Where multiplying is
// as fast as that, `cpu-tile-dots` keeps a part of the sum in registers for all
// dots of a turn; so a turn should have several.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUUNROLLDOTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Operations of a turn that may be there several times: address arithmetic and
/// a few operations on blocks.
constexpr int64_t kMostOperations = 200;

/// The dot of bf16 or bytes that `loop` adds to the only block it carries; null
/// if it does anything else with that.
linalg::GenericOp findOnlyDot(scf::ForOp loop) {
  auto isBlock = [](Value value) { return isa<TensorType>(value.getType()); };
  if (llvm::count_if(loop.getRegionIterArgs(), isBlock) != 1)
    return nullptr;
  BlockArgument sum = *llvm::find_if(loop.getRegionIterArgs(), isBlock);
  Value next = loop.getTiedLoopYieldedValue(sum)->get();
  auto dot = next.getDefiningOp<linalg::GenericOp>();
  if (!dot || dot->getBlock() != loop.getBody() || !next.hasOneUse() ||
      !sum.hasOneUse() || dot.getNumDpsInputs() != 2 ||
      dot.getNumDpsInits() != 1 || dot.getDpsInits().front() != sum ||
      dot.getNumLoops() != 3 || dot.getNumReductionLoops() != 1)
    return nullptr;
  bool isNarrow = llvm::all_of(dot.getDpsInputs(), [](Value input) {
    Type element = getElementTypeOrSelf(input.getType());
    return element.isBF16() || element.isInteger(8);
  });
  return isNarrow ? dot : nullptr;
}

/// The operations of a turn, those in its branches included; none if there are
/// loops in it.
std::optional<int64_t> countOperations(scf::ForOp loop) {
  int64_t count = 0;
  WalkResult walked = loop.getBody()->walk([&](Operation *op) {
    ++count;
    return isa<LoopLikeOpInterface>(op) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  return walked.wasInterrupted() ? std::nullopt : std::optional(count);
}

/// A loop whose turns do what several of `loop` do, as often as that fits; then
/// `loop` does the rest.
class Unroller {
public:
  Unroller(scf::ForOp loop, int64_t factor)
      : loop(loop), factor(factor), builder(loop), loc(loop.getLoc()),
        type(loop.getInductionVar().getType()) {}

  void run() {
    Value end = buildEnd();
    Value step = number(loop.getStep(), factor);
    auto main = scf::ForOp::create(
        builder, loc, loop.getLowerBound(), end, step, loop.getInitArgs(),
        [&](OpBuilder &inner, Location at, Value first, ValueRange carried) {
          scf::YieldOp::create(inner, at, buildTurns(inner, first, carried));
        });
    loop.setLowerBound(end);
    loop.getInitArgsMutable().assign(main.getResults());
  }

private:
  Value narrow(Value value) {
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, value);
    return type.isInteger(64)
               ? value
               : arith::TruncIOp::create(builder, loc, type, value);
  }
  Value number(Value value, int64_t times) {
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, times));
    return arith::MulIOp::create(builder, loc, value, factor);
  }

  /// Where the last turn of several ends: not before the loop begins. In 64
  /// bits, as neither a difference nor a step need have room in 32; a distance
  /// that has no room there either is negative.
  Value buildEnd() {
    Value begin = tts::extendToI64(builder, loc, loop.getLowerBound());
    Value last = arith::MaxSIOp::create(
        builder, loc, tts::extendToI64(builder, loc, loop.getUpperBound()),
        begin);
    Value distance = arith::SubIOp::create(builder, loc, last, begin);
    Value step = arith::MulIOp::create(
        builder, loc, tts::extendToI64(builder, loc, loop.getStep()),
        arith::ConstantIntOp::create(builder, loc, factor, 64));
    Value turns = arith::DivSIOp::create(builder, loc, distance, step);
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 64);
    turns = arith::MaxSIOp::create(builder, loc, turns, none);
    Value covered = arith::MulIOp::create(builder, loc, turns, step);
    return narrow(arith::AddIOp::create(builder, loc, begin, covered));
  }

  SmallVector<Value> buildTurns(OpBuilder &inner, Value first,
                                ValueRange carried) {
    SmallVector<Value> values(carried);
    Value place = first;
    for (int64_t turn = 0; turn < factor; ++turn) {
      if (turn > 0)
        place = arith::AddIOp::create(inner, loc, place, loop.getStep());
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), place);
      mapping.map(loop.getRegionIterArgs(), values);
      for (Operation &op : loop.getBody()->without_terminator())
        inner.clone(op, mapping);
      values = llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
    }
    return values;
  }

  scf::ForOp loop;
  int64_t factor;
  OpBuilder builder;
  Location loc;
  Type type;
};

struct CpuUnrollDots : triton_shared::impl::CpuUnrollDotsBase<CpuUnrollDots> {
  using CpuUnrollDotsBase::CpuUnrollDotsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t factor = chooseFactor(loop);
      if (factor > 1)
        Unroller(loop, factor).run();
    }
  }

private:
  /// How many turns become one.
  int64_t chooseFactor(scf::ForOp loop) const {
    linalg::GenericOp dot = findOnlyDot(loop);
    std::optional<int64_t> operations = countOperations(loop);
    if (!dot || !operations || loop.getUnsignedCmp())
      return 1;
    SmallVector<int64_t> sizes = dot.getStaticLoopRanges();
    int64_t own = sizes.back();
    if (llvm::any_of(sizes, ShapedType::isDynamic) ||
        sizes.front() < CpuTarget::kLeastTileRows)
      return 1;
    int64_t factor = std::min(depth / own, kMostOperations / *operations);
    if (std::optional<APInt> turns = loop.getStaticTripCount())
      factor = std::min<int64_t>(factor, turns->getZExtValue());
    return factor;
  }
};

} // namespace
