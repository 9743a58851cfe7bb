//===- WriteInPlace.cpp - Blocks are computed where they are stored -------===//
//
// The other half of the load policy: what is computed element by element goes
// to memory at once, unless memory that is still to be read would change.
// Arguments of a kernel may overlap, so the kernel asks when it runs.
//
//===----------------------------------------------------------------------===//

#include "BufferOrigin.h"
#include "RowViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUWRITEINPLACE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// What is matched
//===----------------------------------------------------------------------===//

/// A buffer that is computed by one operation and copied to memory by another.
struct BlockStore {
  linalg::GenericOp writer;
  OpOperand *init;
  memref::CopyOp copy;
  /// The whole block in memory.
  Value view;
  /// The part of the block that is stored; null if it is all of it.
  memref::SubViewOp part;
};

/// True if nothing but computation stands between `first` and `last`. Nobody
/// is asked which comes first: rewriting moves operations, and to number those
/// of a long block again for each store takes the square of its length.
bool areNeighbours(Operation *first, Operation *last) {
  Operation *op = first->getNextNode();
  while (op && op != last &&
         (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)))
    op = op->getNextNode();
  return op && op == last;
}

/// True if `op` computes each element of `init` from elements at the same place
/// of its operands, or from what all of them share.
bool isElementwise(linalg::GenericOp op, OpOperand *init) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(init).isIdentity() || op.getNumDpsInits() != 1)
    return false;
  return !op.getBody()
              ->walk([](Operation *nested) {
                return isMemoryEffectFree(nested) ? WalkResult::advance()
                                                  : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// False if the part that is stored is known to be smaller than the block.
bool mayBeWhole(BlockStore &store) {
  if (!store.part)
    return true;
  return llvm::all_of(llvm::zip_equal(store.part.getStaticSizes(),
                                      store.part.getSourceType().getShape()),
                      [](auto pair) {
                        auto [size, whole] = pair;
                        return ShapedType::isDynamic(size) || size == whole;
                      });
}

bool matchBlockStore(memref::CopyOp copy, BlockStore &store) {
  store.copy = copy;
  store.part = copy.getSource().getDefiningOp<memref::SubViewOp>();
  store.view = copy.getTarget();
  Value source = copy.getSource();
  if (store.part) {
    auto target = store.view.getDefiningOp<memref::SubViewOp>();
    if (!target || !store.part->hasOneUse())
      return false;
    source = store.part.getSource();
    store.view = target.getSource();
  }
  auto buffer = source.getDefiningOp<memref::AllocOp>();
  if (!buffer || isOwnBuffer(store.view) ||
      llvm::range_size(buffer->getUses()) != 2)
    return false;
  for (OpOperand &use : buffer->getUses())
    if (auto writer = dyn_cast<linalg::GenericOp>(use.getOwner())) {
      store.writer = writer;
      store.init = &use;
    }
  return mayBeWhole(store) && store.writer &&
         store.writer.isDpsInit(store.init) &&
         isElementwise(store.writer, store.init) &&
         areNeighbours(store.writer, copy);
}

//===----------------------------------------------------------------------===//
// Questions at run time
//===----------------------------------------------------------------------===//

/// Where a block lies in memory, in bytes.
struct Extent {
  Value address, low, high;
  SmallVector<Value> strides;
};

Extent measure(ImplicitLocOpBuilder &b, Value block) {
  auto type = cast<MemRefType>(block.getType());
  Value bytes = arith::ConstantIndexOp::create(
      b, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  auto parts = memref::ExtractStridedMetadataOp::create(b, block);
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, block);
  Extent extent;
  extent.strides = SmallVector<Value>(parts.getStrides());
  extent.address = arith::AddIOp::create(
      b, start, arith::MulIOp::create(b, parts.getOffset(), bytes));
  extent.low = extent.address;
  extent.high = arith::AddIOp::create(b, extent.address, bytes);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (auto [size, stride] :
       llvm::zip_equal(type.getShape(), parts.getStrides())) {
    Value steps = arith::MulIOp::create(
        b, bytes, arith::ConstantIndexOp::create(b, size - 1));
    Value distance = arith::MulIOp::create(b, stride, steps);
    Value back = arith::MinSIOp::create(b, distance, zero);
    Value forth = arith::MaxSIOp::create(b, distance, zero);
    extent.low = arith::AddIOp::create(b, extent.low, back);
    extent.high = arith::AddIOp::create(b, extent.high, forth);
  }
  return extent;
}

Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate how, Value lhs,
              Value rhs) {
  return arith::CmpIOp::create(b, how, lhs, rhs);
}

Value areDisjoint(ImplicitLocOpBuilder &b, const Extent &lhs,
                  const Extent &rhs) {
  return arith::OrIOp::create(
      b, compare(b, arith::CmpIPredicate::ule, lhs.high, rhs.low),
      compare(b, arith::CmpIPredicate::ule, rhs.high, lhs.low));
}

Value areSame(ImplicitLocOpBuilder &b, const Extent &lhs, const Extent &rhs) {
  auto equal = arith::CmpIPredicate::eq;
  Value same = compare(b, equal, lhs.address, rhs.address);
  for (auto [left, right] : llvm::zip_equal(lhs.strides, rhs.strides))
    same = arith::AndIOp::create(b, same, compare(b, equal, left, right));
  return same;
}

/// True at run time if the writer may write to memory; null if it always may.
Value mayWriteInPlace(ImplicitLocOpBuilder &b, BlockStore &store) {
  Value answer;
  auto demand = [&](Value condition) {
    answer = answer ? arith::AndIOp::create(b, answer, condition) : condition;
  };
  auto shape = cast<MemRefType>(store.view.getType()).getShape();
  if (store.part)
    for (auto [size, whole] :
         llvm::zip_equal(store.part.getMixedSizes(), shape))
      if (auto dynamic = dyn_cast<Value>(size))
        demand(compare(b, arith::CmpIPredicate::eq, dynamic,
                       arith::ConstantIndexOp::create(b, whole)));
  std::optional<Extent> target;
  for (OpOperand *input : store.writer.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    if (!type || isOwnBuffer(input->get()))
      continue;
    if (!target)
      target = measure(b, store.view);
    Extent source = measure(b, input->get());
    Value isRight = areDisjoint(b, source, *target);
    if (store.writer.getMatchingIndexingMap(input).isIdentity() &&
        type.getElementType() ==
            cast<MemRefType>(store.view.getType()).getElementType())
      isRight = arith::OrIOp::create(b, isRight, areSame(b, source, *target));
    demand(isRight);
  }
  return answer;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

void writeInPlace(BlockStore &store, MemRefType type) {
  store.writer->moveBefore(store.copy);
  ImplicitLocOpBuilder b(store.copy.getLoc(), store.writer);
  Value isFree = mayWriteInPlace(b, store);
  if (!isFree) {
    store.init->set(store.view);
    store.copy.erase();
    return;
  }
  Value buffer = store.init->get();
  auto select = scf::IfOp::create(b, type, isFree, /*withElseRegion=*/true);
  auto yieldAs = [&](Block *block, Value target) {
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    Value shown = memref::CastOp::create(inner, b.getLoc(), type, target);
    scf::YieldOp::create(inner, b.getLoc(), shown);
  };
  yieldAs(select.thenBlock(), store.view);
  yieldAs(select.elseBlock(), buffer);
  store.init->set(select.getResult(0));
  b.setInsertionPoint(store.copy);
  Value isNotFree =
      arith::XOrIOp::create(b, isFree, arith::ConstantIntOp::create(b, 1, 1));
  auto copyOut = scf::IfOp::create(b, isNotFree, /*withElseRegion=*/false);
  store.copy->moveBefore(copyOut.thenBlock()->getTerminator());
}

struct CpuWriteInPlace
    : triton_shared::impl::CpuWriteInPlaceBase<CpuWriteInPlace> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp copy : copies) {
      BlockStore store;
      if (!matchBlockStore(copy, store))
        continue;
      auto buffer = cast<MemRefType>(store.init->get().getType());
      auto view = dyn_cast<MemRefType>(store.view.getType());
      MemRefType type = view ? getRowsAnywhere(view) : MemRefType();
      if (type && view.getShape() == buffer.getShape() &&
          getRowsAnywhere(buffer))
        writeInPlace(store, type);
    }
  }
};

} // namespace
