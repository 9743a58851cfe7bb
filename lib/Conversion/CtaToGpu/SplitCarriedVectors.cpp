//===- SplitCarriedVectors.cpp - Registers that blocks take ---------------===//
//
// The sums of a product are elements for its instructions, and one vector for
// the loop that carries them. LLVM would put them together and take them apart
// in each turn, 128 at a time, and look at all of that in each of its passes.
//
//===----------------------------------------------------------------------===//

#include "SplitCarriedVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class VectorSplitter {
public:
  void run(Operation *root) {
    root->walk([&](Block *block) {
      if (!block->isEntryBlock())
        for (BlockArgument argument : block->getArguments())
          if (isa<VectorType>(argument.getType()))
            elements[argument];
    });
    for (size_t count = elements.size() + 1; count != elements.size();) {
      count = elements.size();
      elements.remove_if([&](const auto &entry) {
        return !isTakenApart(entry.first) || !isPutTogether(entry.first);
      });
    }
    for (auto &[argument, parts] : elements)
      addArguments(argument, parts);
    for (auto &[argument, parts] : elements)
      giveElements(argument);
    for (auto &[argument, parts] : elements)
      useElements(argument, parts);
    // The last one first: the numbers of those before it stay.
    for (auto &[argument, parts] : llvm::reverse(elements))
      removeOperands(argument);
    for (auto &[argument, parts] : llvm::reverse(elements))
      argument.getOwner()->eraseArgument(argument.getArgNumber());
    for (Operation *vector : vectors)
      if (vector->use_empty())
        vector->erase();
  }

private:
  /// One way into the block of `argument`: calls `handle` with the operands
  /// that the block takes there. False if that is none of a branch, or if
  /// `handle` says so.
  bool allOperands(
      BlockArgument argument,
      function_ref<bool(BranchOpInterface, SuccessorOperands)> handle) const {
    for (Block *block : llvm::to_vector(argument.getOwner()->getPredecessors()))
      if (!isa<BranchOpInterface>(block->getTerminator()))
        return false;
    Block *owner = argument.getOwner();
    for (auto way = owner->pred_begin(); way != owner->pred_end(); ++way) {
      auto branch = cast<BranchOpInterface>((*way)->getTerminator());
      if (!handle(branch, branch.getSuccessorOperands(way.getSuccessorIndex())))
        return false;
    }
    return true;
  }

  /// Whether elements are all that is used of it, here or where it is handed
  /// on.
  bool isTakenApart(BlockArgument argument) const {
    return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      if (auto extract = dyn_cast<vector::ExtractOp>(use.getOwner()))
        return !extract.hasDynamicPosition() &&
               !isa<VectorType>(extract.getType());
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      if (!branch)
        return false;
      std::optional<BlockArgument> next =
          branch.getSuccessorBlockArgument(use.getOperandNumber());
      return next && elements.contains(*next);
    });
  }

  /// Whether the elements of all that it may be are there.
  bool isPutTogether(BlockArgument argument) const {
    auto type = cast<VectorType>(argument.getType());
    return type.getRank() == 1 && !type.isScalable() &&
           allOperands(argument,
                       [&](BranchOpInterface, SuccessorOperands operands) {
                         return hasElements(operands[argument.getArgNumber()]);
                       });
  }

  bool hasElements(Value value) const {
    if (auto carried = dyn_cast_or_null<BlockArgument>(value))
      return elements.contains(carried);
    DenseElementsAttr constant;
    return value && (value.getDefiningOp<vector::FromElementsOp>() ||
                     matchPattern(value, m_Constant(&constant)));
  }

  static void addArguments(BlockArgument argument, SmallVector<Value> &parts) {
    auto type = cast<VectorType>(argument.getType());
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      parts.push_back(argument.getOwner()->addArgument(type.getElementType(),
                                                       argument.getLoc()));
  }

  /// What `value` is put together from, before `branch`.
  SmallVector<Value> getElements(Value value, Operation *branch) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return elements.lookup(argument);
    vectors.insert(value.getDefiningOp());
    if (auto vector = value.getDefiningOp<vector::FromElementsOp>())
      return llvm::to_vector(vector.getElements());
    DenseElementsAttr constant;
    matchPattern(value, m_Constant(&constant));
    OpBuilder builder(branch);
    auto create = [&](Attribute element) -> Value {
      return arith::ConstantOp::create(builder, value.getLoc(),
                                       cast<TypedAttr>(element));
    };
    if (constant.isSplat())
      return SmallVector<Value>(constant.getNumElements(),
                                create(constant.getSplatValue<Attribute>()));
    return llvm::map_to_vector(constant.getValues<Attribute>(), create);
  }

  void giveElements(BlockArgument argument) {
    allOperands(argument,
                [&](BranchOpInterface branch, SuccessorOperands operands) {
                  Value value = operands[argument.getArgNumber()];
                  operands.append(getElements(value, branch));
                  return true;
                });
  }

  static void useElements(BlockArgument argument, ArrayRef<Value> parts) {
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (auto extract = dyn_cast<vector::ExtractOp>(user)) {
        extract.replaceAllUsesWith(parts[extract.getStaticPosition().front()]);
        extract.erase();
      }
  }

  void removeOperands(BlockArgument argument) {
    allOperands(argument, [&](BranchOpInterface, SuccessorOperands operands) {
      operands.erase(argument.getArgNumber());
      return true;
    });
  }

  /// The arguments that are split, each with the arguments for its elements.
  llvm::MapVector<BlockArgument, SmallVector<Value>> elements;
  /// What they were given.
  SetVector<Operation *> vectors;
};

} // namespace

void triton_shared::splitCarriedVectors(Operation *root) {
  VectorSplitter().run(root);
}
