//===- TurnBlocks.cpp - Blocks along what lies side by side ---------------===//
//
// A source may keep the columns of a matrix in the first dimension of its
// blocks. To compute such a block element by element, transposed, is the same
// work, but its rows are then pieces of memory.
//
//===----------------------------------------------------------------------===//

#include "BlockLoad.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUTURNBLOCKS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Rows of fewer numbers are no better than columns.
constexpr int64_t kShortestRow = 4;

/// The type of a block of two dimensions; null if `type` is another one.
RankedTensorType getBlock(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block && block.getRank() == 2 ? block : RankedTensorType();
}

template <typename T> SmallVector<T> swapped(ArrayRef<T> pair) {
  assert(pair.size() == 2 && "a block has two dimensions");
  return {pair[1], pair[0]};
}

MemRefType swapped(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(type.getContext(), offset,
                                       swapped<int64_t>(strides));
  return MemRefType::get(swapped(type.getShape()), type.getElementType(),
                         layout, type.getMemorySpace());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A block, or its first rows and columns, goes to memory.
struct BlockStore {
  bufferization::MaterializeInDestinationOp copy;
  /// Cuts off what is not stored; null if all is.
  tensor::ExtractSliceOp slice;
  /// The part of memory that is stored to; null if the whole block is.
  memref::SubViewOp part;
  /// The whole block in memory.
  memref::ReinterpretCastOp view;

  Value getBlock() { return slice ? slice.getSource() : copy.getSource(); }
};

/// Finds the operations around `copy`; false if they are others.
bool matchBlockStore(bufferization::MaterializeInDestinationOp copy,
                     BlockStore &store) {
  store.copy = copy;
  store.slice = copy.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  Value view = copy.getDest();
  store.part = view.getDefiningOp<memref::SubViewOp>();
  if (store.part)
    view = store.part.getSource();
  store.view = view.getDefiningOp<memref::ReinterpretCastOp>();
  return store.view && copy->getNumResults() == 0 &&
         bool(store.part) == bool(store.slice) &&
         (!store.slice || store.slice->hasOneUse());
}

/// True if the only use of `slice` is to be stored.
bool isStored(tensor::ExtractSliceOp slice) {
  BlockStore store;
  auto copy = slice->hasOneUse()
                  ? dyn_cast<bufferization::MaterializeInDestinationOp>(
                        *slice->user_begin())
                  : nullptr;
  return copy && matchBlockStore(copy, store);
}

/// True if one of both is a line of numbers and the other one the same line as
/// a row or a column.
bool isOfLine(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() > b.getRank())
    std::swap(a, b);
  return a.getRank() == 1 && b.getRank() == 2 &&
         llvm::is_contained(b.getShape(), 1);
}

/// A load of which everything can be said the other way round.
bool isBox(BlockLoad &load) {
  if (!load.view.getDefiningOp<memref::ReinterpretCastOp>() ||
      load.buffer.getType().getRank() != 2)
    return false;
  if (!load.fill)
    return true;
  auto fill = cast<linalg::LinalgOp>(load.fill.thenBlock()->front());
  return llvm::all_of(fill.getDpsInputs(), [](Value value) {
    return !isa<ShapedType>(value.getType());
  });
}

/// True if each block of `op` is read or written row by row.
bool isRowByRow(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != 2)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    if (!getBlock(operand.get().getType()))
      return !isa<ShapedType>(operand.get().getType()) ||
             op.getMatchingIndexingMap(&operand).getNumResults() < 2;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return llvm::all_of(llvm::enumerate(map.getResults()), [](auto result) {
      AffineExpr expression = result.value();
      auto dim = dyn_cast<AffineDimExpr>(expression);
      auto constant = dyn_cast<AffineConstantExpr>(expression);
      return dim ? dim.getPosition() == result.index()
                 : constant && constant.getValue() == 0;
    });
  });
}

//===----------------------------------------------------------------------===//
// What belongs together
//===----------------------------------------------------------------------===//

/// The blocks of a function, in classes of those that are swapped as one.
class BlockClasses {
public:
  explicit BlockClasses(func::FuncOp function);

  bool isTurned(Value block) const {
    auto leader = classes.findLeader(block.getAsOpaquePointer());
    return leader != classes.member_end() && turned.contains(*leader);
  }

  /// All blocks that are swapped.
  SmallVector<Value> getTurned() const {
    return llvm::filter_to_vector(blocks,
                                  [&](Value block) { return isTurned(block); });
  }

private:
  void visit(Operation *op);
  void visitGeneric(linalg::GenericOp op);
  void visitLoad(bufferization::ToTensorOp op);
  void visitStore(bufferization::MaterializeInDestinationOp op);
  void visitLoop(scf::ForOp op);
  void visitBranch(scf::IfOp op);

  const void *getLeader(Value block) const {
    return classes.getLeaderValue(block.getAsOpaquePointer());
  }
  void add(Value block);
  void tie(Value a, Value b);
  /// Swaps none of what belongs to the blocks among `values`.
  void keep(ValueRange values);
  /// Notes how a block lies in memory.
  void note(Value block, Value view);

  llvm::EquivalenceClasses<const void *> classes;
  SmallVector<Value> blocks;
  /// Blocks that must stay, and those whose columns lie in one piece.
  SmallVector<Value> kept, columns;
  /// Leaders of classes that are swapped.
  DenseSet<const void *> turned;
};

BlockClasses::BlockClasses(func::FuncOp function) {
  function.walk([&](Operation *op) { visit(op); });
  for (Value block : columns)
    turned.insert(getLeader(block));
  for (Value block : kept)
    turned.erase(getLeader(block));
}

void BlockClasses::add(Value block) {
  if (classes.contains(block.getAsOpaquePointer()))
    return;
  classes.insert(block.getAsOpaquePointer());
  blocks.push_back(block);
  RankedTensorType type = getBlock(block.getType());
  if (!type.hasStaticShape() || type.getEncoding())
    kept.push_back(block);
}

void BlockClasses::tie(Value a, Value b) {
  if (!getBlock(a.getType()))
    return;
  add(a);
  add(b);
  for (Value value : {a, b})
    if (value.getDefiningOp<tensor::EmptyOp>())
      keep(value); // Others may have it, too.
  classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

void BlockClasses::keep(ValueRange values) {
  for (Value value : values)
    if (getBlock(value.getType())) {
      add(value);
      kept.push_back(value);
    }
}

void BlockClasses::note(Value block, Value view) {
  add(block);
  RankedTensorType type = getBlock(block.getType());
  if (type.getDimSize(0) == 1 || type.getDimSize(1) == 1)
    return; // Its elements have one order.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(cast<MemRefType>(view.getType())
                 .getStridesAndOffset(strides, offset)))
    return keep(block);
  if (strides[1] == 1)
    keep(block);
  else if (strides[0] == 1 && type.getDimSize(0) >= kShortestRow)
    columns.push_back(block);
}

void BlockClasses::visitGeneric(linalg::GenericOp op) {
  if (!isRowByRow(op)) {
    keep(op->getOperands());
    return keep(op->getResults());
  }
  Value first;
  for (Value value :
       llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                           SmallVector<Value>(op->getResults()))) {
    if (!getBlock(value.getType()) || value.getDefiningOp<tensor::EmptyOp>())
      continue;
    if (!first)
      first = value;
    tie(value, first);
  }
}

void BlockClasses::visitLoad(bufferization::ToTensorOp op) {
  if (!getBlock(op.getType()))
    return;
  BlockLoad load;
  auto buffer = op.getBuffer().getDefiningOp<memref::AllocOp>();
  if (buffer && matchBlockLoad(buffer, load) && isBox(load))
    return note(op.getResult(), load.view);
  keep(op->getResults());
}

void BlockClasses::visitStore(bufferization::MaterializeInDestinationOp op) {
  BlockStore store;
  if (!getBlock(op.getSource().getType()))
    return;
  if (matchBlockStore(op, store))
    return note(store.getBlock(), store.view);
  keep(op->getOperands());
}

void BlockClasses::visitLoop(scf::ForOp op) {
  for (auto [init, argument, next, result] :
       llvm::zip_equal(op.getInits(), op.getRegionIterArgs(),
                       op.getYieldedValues(), op.getResults())) {
    tie(init, argument);
    tie(next, argument);
    tie(result, argument);
  }
}

void BlockClasses::visitBranch(scf::IfOp op) {
  if (op->getNumResults() == 0)
    return;
  for (auto [result, then, otherwise] :
       llvm::zip_equal(op.getResults(), op.thenYield().getOperands(),
                       op.elseYield().getOperands())) {
    tie(then, result);
    tie(otherwise, result);
  }
}

void BlockClasses::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::GenericOp generic) { visitGeneric(generic); })
      .Case([&](bufferization::ToTensorOp load) { visitLoad(load); })
      .Case([&](bufferization::MaterializeInDestinationOp store) {
        visitStore(store);
      })
      .Case([&](scf::ForOp loop) { visitLoop(loop); })
      .Case([&](scf::IfOp branch) { visitBranch(branch); })
      // Their parents have seen to them.
      .Case<scf::YieldOp>([&](Operation *yield) {
        if (!isa<scf::ForOp, scf::IfOp>(yield->getParentOp()))
          keep(yield->getOperands());
      })
      .Case([](tensor::EmptyOp) { /* Made anew where it is needed. */ })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto view) {
        if (!isOfLine(view.getSrcType(), view.getResultType())) {
          keep(view->getOperands());
          keep(view->getResults());
        }
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        if (!isStored(slice))
          keep(slice->getOperands());
      })
      .Default([&](Operation *other) {
        keep(other->getOperands());
        keep(other->getResults());
      });
}

//===----------------------------------------------------------------------===//
// Swapping
//===----------------------------------------------------------------------===//

/// True if an operand or a result of `op` is swapped.
bool touches(const BlockClasses &classes, Operation *op) {
  auto isTurned = [&](Value value) { return classes.isTurned(value); };
  return llvm::any_of(op->getOperands(), isTurned) ||
         llvm::any_of(op->getResults(), isTurned);
}

void turnType(Value block) {
  RankedTensorType type = getBlock(block.getType());
  SmallVector<int64_t> shape = swapped(type.getShape());
  block.setType(type.clone(shape));
  if (auto expand = block.getDefiningOp<tensor::ExpandShapeOp>())
    expand.setStaticOutputShape(shape);
}

void turn(OpBuilder &builder, linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  auto loops = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context);
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand).compose(loops);
    if (getBlock(operand.get().getType())) {
      map = AffineMap::get(2, 0, swapped(map.getResults()), context);
      if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>()) {
        builder.setInsertionPoint(op);
        RankedTensorType type = empty.getType();
        operand.set(tensor::EmptyOp::create(builder, empty.getLoc(),
                                            swapped(type.getShape()),
                                            type.getElementType()));
      }
    }
    maps.push_back(map);
  }
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(
      builder.getArrayAttr(swapped(op.getIteratorTypes().getValue())));
  op.walk([](linalg::IndexOp index) { index.setDim(1 - index.getDim()); });
}

Value turnView(OpBuilder &builder, memref::ReinterpretCastOp view) {
  return memref::ReinterpretCastOp::create(
      builder, view.getLoc(), swapped(view.getType()), view.getSource(),
      view.getMixedOffsets().front(),
      swapped<OpFoldResult>(view.getMixedSizes()),
      swapped<OpFoldResult>(view.getMixedStrides()));
}

Value turnPart(OpBuilder &builder, memref::SubViewOp part, Value view) {
  return memref::SubViewOp::create(
      builder, part.getLoc(), view,
      swapped<OpFoldResult>(part.getMixedOffsets()),
      swapped<OpFoldResult>(part.getMixedSizes()),
      swapped<OpFoldResult>(part.getMixedStrides()));
}

void turn(OpBuilder &builder, BlockLoad &load) {
  builder.setInsertionPoint(load.buffer);
  MemRefType type = load.buffer.getType();
  auto buffer = memref::AllocOp::create(
      builder, load.buffer.getLoc(),
      MemRefType::get(swapped(type.getShape()), type.getElementType()));
  if (load.fill)
    load.buffer->replaceUsesWithIf(buffer, [&](OpOperand &use) {
      return load.fill->isProperAncestor(use.getOwner());
    });
  builder.setInsertionPoint(load.copy);
  Value from =
      turnView(builder, load.view.getDefiningOp<memref::ReinterpretCastOp>());
  Value to = buffer;
  if (load.part) {
    from = turnPart(builder,
                    load.copy.getSource().getDefiningOp<memref::SubViewOp>(),
                    from);
    to = turnPart(builder, load.part, to);
  }
  memref::CopyOp::create(builder, load.copy.getLoc(), from, to);
  load.contents.getBufferMutable().assign(buffer);
  load.copy.erase();
  if (load.part)
    load.part.erase();
  load.buffer.erase();
}

void turn(OpBuilder &builder, BlockStore &store) {
  builder.setInsertionPoint(store.copy);
  Value to = turnView(builder, store.view);
  if (store.slice) {
    to = turnPart(builder, store.part, to);
    Value from = tensor::ExtractSliceOp::create(
        builder, store.slice.getLoc(), store.slice.getSource(),
        swapped<OpFoldResult>(store.slice.getMixedOffsets()),
        swapped<OpFoldResult>(store.slice.getMixedSizes()),
        swapped<OpFoldResult>(store.slice.getMixedStrides()));
    store.copy.getSourceMutable().assign(from);
    store.slice.erase();
  }
  store.copy.getDestMutable().assign(to);
}

struct CpuTurnBlocks : triton_shared::impl::CpuTurnBlocksBase<CpuTurnBlocks> {
  void runOnOperation() override {
    BlockClasses classes(getOperation());
    SmallVector<Value> blocks = classes.getTurned();
    if (blocks.empty())
      return;
    SmallVector<linalg::GenericOp> generics;
    SmallVector<BlockLoad> loads;
    SmallVector<BlockStore> stores;
    getOperation().walk([&](Operation *op) {
      BlockLoad load;
      BlockStore store;
      if (auto generic = dyn_cast<linalg::GenericOp>(op);
          generic && touches(classes, op)) {
        generics.push_back(generic);
      } else if (auto buffer = dyn_cast<memref::AllocOp>(op);
                 buffer && matchBlockLoad(buffer, load) &&
                 classes.isTurned(load.contents.getResult())) {
        loads.push_back(load);
      } else if (auto copy =
                     dyn_cast<bufferization::MaterializeInDestinationOp>(op);
                 copy && matchBlockStore(copy, store) &&
                 classes.isTurned(store.getBlock())) {
        stores.push_back(store);
      }
    });
    for (Value block : blocks)
      turnType(block);
    OpBuilder builder(&getContext());
    for (linalg::GenericOp generic : generics)
      turn(builder, generic);
    for (BlockLoad &load : loads)
      turn(builder, load);
    for (BlockStore &store : stores)
      turn(builder, store);
  }
};

} // namespace
