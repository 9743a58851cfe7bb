//===- SpreadRows.cpp - Each lane stores its part of a reduction ----------===//
//
// Lanes that reduce rows together all get what comes of it. Where nothing
// further happens to that than arithmetic, until it is stored or reduced to one
// number, one of them would store it, element after element, and the others
// wait. So each gets a part of the rows instead: fewer shuffles, and one store
// for many rows.
//
//===----------------------------------------------------------------------===//

#include "LayoutRules.h"
#include "MakeAgain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPREADROWS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// Where lanes that reduce together have parts of the result; nothing if that
/// is not another place.
std::optional<LinearLayout> findSpread(cta::ReduceOp reduce) {
  if (reduce.getSpread() || !cta::isCommutative(reduce.getCombine()))
    return std::nullopt;
  LinearLayout layout =
      cta::getLayout(cta::getTile(reduce.getSources().front()));
  LinearLayout spread = layout.spreadDimension(reduce.getAxis());
  if (spread == layout.dropDimension(reduce.getAxis()))
    return std::nullopt;
  return spread;
}

/// True for what ends with memory, and hands nothing on.
bool isLast(Operation *op) {
  return isa<tts::StoreOp>(op) ||
         (isa<tts::AtomicRMWOp>(op) && op->use_empty());
}

/// Results of reductions, and all that is computed of them.
class SpreadTiles {
public:
  SpreadTiles(LinearLayout from, LinearLayout to)
      : from(std::move(from)), to(std::move(to)) {}

  /// Takes `value` in, with what it is computed from as far as that is not made
  /// anew, and with all that is computed from it. False if some of that is no
  /// arithmetic on rows.
  bool add(Value value) {
    waiting.push_back(value);
    while (!waiting.empty()) {
      Value next = waiting.pop_back_val();
      if (tiles.insert(next) && !(addMaker(next) && addUsers(next)))
        return false;
    }
    return true;
  }

  /// Gives all of it the other layout.
  void spread() {
    for (auto [operand, value] : madeAgain) {
      OpBuilder builder(operand->getOwner());
      operand->set(getWithLayout(builder, value, to));
    }
    for (Operation *op : updates)
      for (Value old : op->getResults())
        old.setType(cta::withLayout(old.getType(), to));
    for (Value tile : tiles) {
      tile.setType(cta::withLayout(tile.getType(), to));
      if (auto reduce = tile.getDefiningOp<cta::ReduceOp>())
        reduce.setSpread(true);
    }
  }

private:
  static bool isTile(Value value) {
    return isa<RankedTensorType>(value.getType());
  }

  /// What `value` comes from.
  bool addMaker(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument != loop.getInductionVar() &&
             addCarried(loop,
                        argument.getArgNumber() - loop.getNumInductionVars());
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addCarried(loop, result.getResultNumber());
    if (auto reduce = dyn_cast<cta::ReduceOp>(op)) {
      llvm::append_range(waiting, reduce.getResults());
      return findSpread(reduce) == to;
    }
    auto load = dyn_cast<tts::LoadOp>(op);
    bool isKnown = isArithmetic(op) || (load && !load.isVolatile());
    return isKnown && addOperands(op);
  }

  bool addUsers(Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isLast(user)) {
        if (isa<tts::AtomicRMWOp>(user))
          updates.insert(user);
        return addOperands(user);
      }
      if (auto reduce = dyn_cast<cta::ReduceOp>(user))
        return leavesSame(reduce) && addOperands(reduce);
      if (auto loop = dyn_cast<scf::ForOp>(user))
        return use.getOperandNumber() >= loop.getNumControlOperands() &&
               addCarried(loop, use.getOperandNumber() -
                                    loop.getNumControlOperands());
      if (isa<scf::YieldOp>(user)) {
        auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        return loop && addCarried(loop, use.getOperandNumber());
      }
      if (!isArithmetic(user))
        return false;
      llvm::append_range(waiting,
                         llvm::make_filter_range(user->getResults(), isTile));
      return true;
    });
  }

  /// True if what `reduce` leaves of spread rows is where it was: in all lanes.
  bool leavesSame(cta::ReduceOp reduce) const {
    return cta::isCommutative(reduce.getCombine()) &&
           to.dropDimension(reduce.getAxis()) ==
               cta::getLayout(reduce->getResult(0).getType());
  }

  static bool isArithmetic(Operation *op) {
    return isElementwiseOnTiles(op) && op->getNumRegions() == 0 &&
           isMemoryEffectFree(op);
  }

  bool addCarried(scf::ForOp loop, unsigned number) {
    waiting.push_back(loop.getRegionIterArg(number));
    waiting.push_back(loop.getResult(number));
    return addOperand(loop.getInitsMutable()[number]) &&
           addOperand(loop.getBody()->getTerminator()->getOpOperand(number));
  }

  bool addOperands(Operation *op) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return addOperand(operand);
    });
  }

  /// An operand of what is spread: spread, or made anew where it has to be.
  bool addOperand(OpOperand &operand) {
    Value value = operand.get();
    if (!isTile(value))
      return true;
    if (cta::getLayout(value.getType()) != from)
      return false;
    if (isMadeOfIndices(value))
      madeAgain.insert({&operand, value});
    else
      waiting.push_back(value);
    return true;
  }

  LinearLayout from, to;
  llvm::SetVector<Value> tiles;
  llvm::SetVector<Operation *> updates;
  llvm::SetVector<std::pair<OpOperand *, Value>> madeAgain;
  SmallVector<Value> waiting;
};

struct CtaSpreadRows : triton_shared::impl::CtaSpreadRowsBase<CtaSpreadRows> {
  void runOnOperation() override {
    getOperation()->walk([](cta::ReduceOp reduce) {
      std::optional<LinearLayout> to = findSpread(reduce);
      if (!to)
        return;
      SpreadTiles tiles(cta::getLayout(cta::getTile(reduce->getResult(0))),
                        *to);
      if (tiles.add(reduce->getResult(0)))
        tiles.spread();
    });
  }
};

} // namespace
