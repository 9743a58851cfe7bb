//===- UnstoredRows.cpp - Rows of a tile that no store writes -------------===//

#include "triton-shared/Analysis/UnstoredRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Follows rows through a program.
class RowWalk {
public:
  explicit RowWalk(function_ref<bool(Value)> isEnd) : isEnd(isEnd) {}

  void add(Value tile, unsigned dimension) { rows.insert({tile, dimension}); }

  /// False as soon as a row beyond the end meets anything else.
  bool run() {
    for (size_t i = 0; i < rows.size(); ++i) {
      auto [tile, dimension] = rows[i];
      for (OpOperand &use : tile.getUses())
        if (!follow(use, dimension))
          return false;
    }
    return true;
  }

private:
  bool follow(OpOperand &use, unsigned dimension);
  bool followProduct(cta::DotOp dot, OpOperand &use, unsigned dimension);
  bool followYield(OpOperand &use, unsigned dimension);
  bool followStore(tts::StoreOp store, OpOperand &use, unsigned dimension);
  bool followElements(Operation *op, unsigned dimension);

  function_ref<bool(Value)> isEnd;
  llvm::SetVector<std::pair<Value, unsigned>> rows;
};

bool RowWalk::followProduct(cta::DotOp dot, OpOperand &use,
                            unsigned dimension) {
  bool isOfSum = use.get() != dot.getA() && use.get() != dot.getB();
  // What is added up belongs to no row.
  if ((use.get() == dot.getA() && dimension != 0) ||
      (use.get() == dot.getB() && dimension != 1) ||
      (!isOfSum && cta::getTile(use.get()).getRank() != 2))
    return false;
  add(dot.getResult(), dimension);
  return true;
}

bool RowWalk::followYield(OpOperand &use, unsigned dimension) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop && !isa<scf::IfOp>(parent))
    return false;
  if (loop)
    add(loop.getRegionIterArg(number), dimension);
  add(parent->getResult(number), dimension);
  return true;
}

bool RowWalk::followStore(tts::StoreOp store, OpOperand &use,
                          unsigned dimension) {
  if (use.get() != store.getValue() || use.get() == store.getMask())
    return false;
  tts::DimensionAccess access = store.getDimensions()[dimension];
  return access.isBounded() && isEnd(access.high);
}

/// Operations on elements keep rows apart.
bool RowWalk::followElements(Operation *op, unsigned dimension) {
  if (!isMemoryEffectFree(op) || !(isa<cta::ConvertLayoutOp>(op) ||
                                   OpTrait::hasElementwiseMappableTraits(op)))
    return false;
  for (Value result : op->getResults())
    add(result, dimension);
  return true;
}

bool RowWalk::follow(OpOperand &use, unsigned dimension) {
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case([&](cta::DotOp dot) { return followProduct(dot, use, dimension); })
      .Case([&](tts::StoreOp store) {
        return followStore(store, use, dimension);
      })
      .Case([&](scf::ForOp loop) {
        add(loop.getTiedLoopRegionIterArg(&use), dimension);
        add(loop.getTiedLoopResult(&use), dimension);
        return true;
      })
      .Case([&](scf::YieldOp) { return followYield(use, dimension); })
      .Default([&](Operation *op) { return followElements(op, dimension); });
}

} // namespace

bool triton_shared::isUnstoredBeyondEnd(Value tile, unsigned dimension,
                                        function_ref<bool(Value)> isEnd) {
  RowWalk walk(isEnd);
  walk.add(tile, dimension);
  return walk.run();
}
