//===- LoopSlice.cpp - What a value of a loop is computed from ------------===//

#include "LoopSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// True if `op` may be computed in a turn that there is not. What divides may:
/// `guard-integers` comes later.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isPure(op) ||
          isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op));
}

bool LoopSlice::addOperandsOf(Operation *op, TakesLoad takesLoad) {
  auto mayTake = [&](Operation *op) {
    if (auto access = dyn_cast<tts::AccessOpInterface>(op))
      return takesLoad && !access.isWrite() && !access.isAtomic() &&
             takesLoad(access);
    return isArithmetic(op);
  };
  llvm::SetVector<Operation *> foundOperations = operations;
  llvm::SetVector<unsigned> foundIterated = iterated;
  SmallVector<Value> waiting(op->getOperands());
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return false;
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      if (foundIterated.insert(number))
        waiting.push_back(loop.getYieldedValues()[number]);
      continue;
    }
    Operation *definition = value.getDefiningOp();
    if (definition->getBlock() != loop.getBody() || !mayTake(definition))
      return false;
    if (foundOperations.insert(definition))
      llvm::append_range(waiting, definition->getOperands());
  }
  operations = std::move(foundOperations);
  iterated = std::move(foundIterated);
  return true;
}

SmallVector<unsigned> LoopSlice::getIterated() const {
  SmallVector<unsigned> numbers = llvm::to_vector(iterated);
  llvm::sort(numbers);
  return numbers;
}

/// Loads as `type` what `load` does, if `condition`: of a turn that there is
/// not, memory may not be there.
static Value cloneLoad(OpBuilder &builder, Operation *load, Type type,
                       IRMapping mapping, Value condition) {
  Location loc = load->getLoc();
  auto branch = scf::IfOp::create(builder, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder();
  Operation *cloned = inside.clone(*load, mapping);
  cloned->getResult(0).setType(type);
  scf::YieldOp::create(inside, loc, cloned->getResults());
  inside = branch.getElseBodyBuilder();
  Value zero = arith::ConstantOp::create(
      inside, loc, cast<TypedAttr>(inside.getZeroAttr(type)));
  scf::YieldOp::create(inside, loc, zero);
  return branch.getResult(0);
}

/// The load that `op` brings to another layout, which could as well load to
/// that; null if there is none.
static tts::LoadOp findConvertedLoad(Operation *op) {
  auto convert = dyn_cast<cta::ConvertLayoutOp>(op);
  auto load = convert ? convert.getSource().getDefiningOp<tts::LoadOp>()
                      : tts::LoadOp();
  bool takesTile = load && llvm::any_of(load->getOperandTypes(),
                                        llvm::IsaPred<RankedTensorType>);
  return takesTile ? tts::LoadOp() : load;
}

void LoopSlice::clone(OpBuilder &builder, IRMapping &mapping,
                      Value condition) const {
  SmallVector<Operation *> inOrder(operations.begin(), operations.end());
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : inOrder) {
    tts::LoadOp converted = findConvertedLoad(op);
    Operation *load = converted ? converted : op;
    if (isa<tts::AccessOpInterface>(load) && contains(load))
      mapping.map(op->getResult(0),
                  cloneLoad(builder, load, op->getResult(0).getType(), mapping,
                            condition));
    else
      builder.clone(*op, mapping);
  }
}
