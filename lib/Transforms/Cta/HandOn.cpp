//===- HandOn.cpp - Values from one loop of a program to the next ---------===//

#include "HandOn.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

HandOn::HandOn(ArrayRef<scf::ForOp> loops, Rewrite rewrite)
    : loops(loops.begin(), loops.end()), rewrite(rewrite) {}

bool HandOn::isPossible(Operation *op, Block *block) {
  for (; op->getBlock() != block; op = op->getParentOp())
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op->getParentOp()))
      return false;
  return true;
}

bool HandOn::holdsLoop(Operation *op) const {
  return llvm::any_of(
      loops, [&](Operation *loop) { return op->isProperAncestor(loop); });
}

SmallVector<Value> HandOn::run(Block &block, SmallVector<Value> values) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (llvm::is_contained(loops, &op))
      values = rewrite(cast<scf::ForOp>(op), values);
    else if (holdsLoop(&op))
      values = TypeSwitch<Operation *, SmallVector<Value>>(&op)
                   .Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
                       [&](auto around) { return through(around, values); });
  }
  return values;
}

SmallVector<Value> HandOn::through(scf::ForOp loop, ValueRange values) {
  size_t count = values.size();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, values, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return llvm::to_vector_of<Value>(arguments);
      }));
  SmallVector<Value> inside =
      run(*made.getBody(),
          llvm::to_vector_of<Value>(made.getRegionIterArgs().take_back(count)));
  Operation *yield = made.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - count, count, inside);
  return llvm::to_vector_of<Value>(made.getResults().take_back(count));
}

/// The types of `op`'s results, then those of `values`.
static SmallVector<Type> addTypes(Operation *op, ValueRange values) {
  SmallVector<Type> types(op->getResultTypes());
  llvm::append_range(types, values.getTypes());
  return types;
}

/// `made` takes the place of `op`, and gives out `count` values more: these.
static SmallVector<Value> replace(Operation *op, Operation *made,
                                  size_t count) {
  op->replaceAllUsesWith(made->getResults().drop_back(count));
  op->erase();
  return llvm::to_vector_of<Value>(made->getResults().take_back(count));
}

SmallVector<Value> HandOn::through(scf::IfOp branch, ValueRange values) {
  OpBuilder builder(branch);
  auto made = scf::IfOp::create(builder, branch.getLoc(),
                                addTypes(branch, values), branch.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), made->getRegions())) {
    to.takeBody(from);
    if (to.empty()) {
      builder.createBlock(&to);
      scf::YieldOp::create(builder, branch.getLoc());
    }
    SmallVector<Value> inside =
        run(to.front(), llvm::to_vector_of<Value>(values));
    Operation *yield = to.front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), inside);
  }
  return replace(branch, made, values.size());
}

SmallVector<Value> HandOn::through(scf::WhileOp loop, ValueRange values) {
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, values);
  auto made = scf::WhileOp::create(builder, loop.getLoc(),
                                   addTypes(loop, values), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), made->getRegions())) {
    to.takeBody(from);
    SmallVector<Value> added;
    for (Value value : values)
      added.push_back(to.front().addArgument(value.getType(), value.getLoc()));
    SmallVector<Value> inside = run(to.front(), added);
    Operation *end = to.front().getTerminator();
    end->insertOperands(end->getNumOperands(), inside);
  }
  return replace(loop, made, values.size());
}
