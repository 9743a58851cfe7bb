//===- GuardRows.cpp - Loops whose blocks lie inside of their matrix ------===//
//
// Kernels take rows behind the end of a matrix for its first row,
// `where(i < M, i, 0)`, so that nothing beyond is read. To the compiler these
// are rows of their own. Most blocks have no such row: for them the loop gets a
// form that loads row after row, which the copy engine can do as well.
//
//===----------------------------------------------------------------------===//

#include "AheadLoads.h"
#include "Branches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAGUARDROWS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Rows `start`, `start + 1`, … as long as they come before `end`; others are
/// some row. Both are integers.
struct CutRows {
  Value start, end;
};

/// `value` before its type was made wider.
Value skipExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::IndexCastOp, cta::ConvertLayoutOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The number that `tile` has everywhere.
Value findSplat(Value tile) {
  auto splat = skipExtensions(tile).getDefiningOp<cta::SplatOp>();
  return splat ? splat.getSource() : Value();
}

/// The number at which `tile` begins to count.
Value findCountStart(Value tile) {
  auto sum = skipExtensions(tile).getDefiningOp<arith::AddIOp>();
  if (!sum)
    return nullptr;
  for (auto [one, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                            std::pair(sum.getRhs(), sum.getLhs())})
    if (skipExtensions(one).getDefiningOp<cta::IotaOp>())
      return findSplat(other);
  return nullptr;
}

std::optional<CutRows> findCutRows(Value indices) {
  auto select = skipExtensions(indices).getDefiningOp<arith::SelectOp>();
  auto compare =
      select
          ? skipExtensions(select.getCondition()).getDefiningOp<arith::CmpIOp>()
          : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      skipExtensions(compare.getLhs()) != skipExtensions(select.getTrueValue()))
    return std::nullopt;
  CutRows rows = {findCountStart(select.getTrueValue()),
                  findSplat(compare.getRhs())};
  return rows.start && rows.end ? std::optional(rows) : std::nullopt;
}

/// Makes the two loops of one.
class RowGuard {
public:
  explicit RowGuard(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

  /// Gives those loads in which neighbours follow each other now.
  SmallVector<tts::LoadOp> run(ArrayRef<tts::LoadOp> loads) {
    Value condition;
    for (tts::LoadOp load : loads)
      for (auto [dimension, size] :
           llvm::zip_equal(load.getDimensions(), load.getTileType().getShape()))
        if (std::optional<CutRows> rows = findRows(dimension)) {
          Value inside = createIsInside(*rows, size);
          condition =
              condition ? arith::AndIOp::create(builder, loc, condition, inside)
                        : inside;
        }
    IRMapping copies;
    scf::IfOp guard = createTwoForms(loop, condition, copies);
    guard->setAttr(cta::kGuard, builder.getUnitAttr());
    SmallVector<tts::LoadOp> ofNeighbours;
    for (tts::LoadOp load : loads) {
      auto copy = cast<tts::LoadOp>(copies.lookup(load.getOperation()));
      bool gathersNeighbours = hasCutNeighbours(copy);
      tts::LoadOp made = loadRows(copy);
      if (gathersNeighbours)
        ofNeighbours.push_back(made);
    }
    return ofNeighbours;
  }

  /// The rows of a gathered dimension, known before the loop.
  std::optional<CutRows> findRows(const tts::DimensionAccess &dimension) {
    if (!dimension.isGathered() ||
        !loop.isDefinedOutsideOfLoop(dimension.indices))
      return std::nullopt;
    return findCutRows(dimension.indices);
  }

private:
  Value toI64(Value number) { return tts::extendToI64(builder, loc, number); }

  Value createStride(OpFoldResult stride) {
    if (auto value = dyn_cast<Value>(stride))
      return value;
    return arith::ConstantIntOp::create(builder, loc,
                                        *getConstantIntValue(stride), 64);
  }

  Value createIsInside(const CutRows &rows, int64_t size) {
    Value count = arith::ConstantIntOp::create(builder, loc, size, 64);
    Value last = arith::AddIOp::create(builder, loc, toI64(rows.start), count);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, last,
                                 toI64(rows.end));
  }

  /// Whether what is cut are neighbours in memory.
  bool hasCutNeighbours(tts::LoadOp load) {
    return llvm::any_of(load.getDimensions(),
                        [&](const tts::DimensionAccess &dimension) {
                          return findRows(dimension) &&
                                 getConstantIntValue(dimension.stride) == 1;
                        });
  }

  /// Replaces a load by one of rows that follow each other.
  tts::LoadOp loadRows(tts::LoadOp load) {
    builder.setInsertionPoint(load);
    SmallVector<tts::DimensionAccess> dimensions = load.getDimensions();
    Value offset = load.getOffset();
    for (tts::DimensionAccess &dimension : dimensions)
      if (std::optional<CutRows> rows = findRows(dimension)) {
        Value stride = createStride(dimension.stride);
        Value begin =
            arith::MulIOp::create(builder, loc, toI64(rows->start), stride);
        offset = arith::AddIOp::create(builder, loc, offset, begin);
        dimension.indices = nullptr;
      }
    tts::LoadOp made = load.cloneWith(builder, offset, dimensions);
    load.replaceAllUsesWith(made.getResult());
    load.erase();
    return made;
  }

  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
};

/// The loads of a loop for its products that gather rows which are cut.
SmallVector<tts::LoadOp> findLoads(scf::ForOp loop) {
  SmallVector<tts::LoadOp> found;
  RowGuard guard(loop);
  for (auto load : loop.getBody()->getOps<tts::LoadOp>())
    if (isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
        findMatrixUse(load) &&
        llvm::any_of(load.getDimensions(),
                     [&](const tts::DimensionAccess &dimension) {
                       return guard.findRows(dimension).has_value();
                     }))
      found.push_back(load);
  return found;
}

/// Lets threads load neighbours at once, if nobody but products from shared
/// memory asks who has which.
void widen(tts::LoadOp load, const DataFlowSolver &solver) {
  bool isFree = llvm::all_of(load->getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<cta::DotOp>(use.getOwner());
    return dot && dot.isReadFromShared(use);
  });
  if (!isFree)
    return;
  AccessWidth width = describeAccessWidth(solver, load);
  RankedTensorType tile = load.getTileType();
  auto function = load->getParentOfType<func::FuncOp>();
  auto layout = cta::LinearLayout::getBlocked(tile.getShape(), width.order,
                                              width.elements,
                                              *cta::getNumWarps(function));
  unsigned fastest = width.order.front();
  if (width.isContiguous && layout.countNeighbours(fastest) >
                                cta::getLayout(tile).countNeighbours(fastest))
    load.getResult().setType(cta::withLayout(tile, layout));
}

struct CtaGuardRows : triton_shared::impl::CtaGuardRowsBase<CtaGuardRows> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, SmallVector<tts::LoadOp>>> found;
    getOperation().walk([&](scf::ForOp loop) {
      auto function = loop->getParentOfType<func::FuncOp>();
      if (!function || !cta::getNumWarps(function) ||
          !cta::getTarget(function).hasTma())
        return;
      SmallVector<tts::LoadOp> loads = findLoads(loop);
      if (!loads.empty())
        found.emplace_back(loop, std::move(loads));
    });
    SmallVector<tts::LoadOp> made;
    for (auto &[loop, loads] : found)
      llvm::append_range(made, RowGuard(loop).run(loads));
    if (made.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    for (tts::LoadOp load : made)
      widen(load, solver);
  }
};

} // namespace
