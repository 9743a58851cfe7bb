//===- ReadInPlace.cpp - Blocks are read where they are -------------------===//
//
// The load policy of fast CPU code: a block is copied only where something
// needs the copy.
//
//===----------------------------------------------------------------------===//

#include "BlockLoad.h"
#include "BufferOrigin.h"
#include "RowViews.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUREADINPLACE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Adds what reads `tensor` to `readers`; false if it goes where it may be read
/// at any time, or is stored as it is.
bool collectReaders(Value tensor, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : tensor.getUsers()) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
            tensor::ExtractSliceOp>(user)) {
      if (!collectReaders(user->getResult(0), readers))
        return false;
    } else if (isa<linalg::LinalgOp, tensor::ExtractOp, vector::TransferReadOp>(
                   user)) {
      readers.push_back(user);
    } else {
      return false;
    }
  }
  return true;
}

/// Where a function writes to memory of others. Each block is looked through
/// once, however many loads ask.
class OutsideWrites {
public:
  /// True if an operation from `first` to `last` in their block writes.
  bool isAnyBetween(Operation *first, Operation *last) {
    ArrayRef<Operation *> writers = get(first->getBlock());
    auto *next = llvm::partition_point(writers, [&](Operation *writer) {
      return writer->isBeforeInBlock(first);
    });
    return next != writers.end() && !last->isBeforeInBlock(*next);
  }

private:
  ArrayRef<Operation *> get(Block *block) {
    auto [found, isNew] = ofBlocks.try_emplace(block);
    if (isNew)
      for (Operation &op : *block)
        if (mayWriteOutside(&op))
          found->second.push_back(&op);
    return found->second;
  }

  DenseMap<Block *, SmallVector<Operation *>> ofBlocks;
};

/// True if nothing writes to memory between `load` and the last reader.
bool staysUnchanged(BlockLoad &load, OutsideWrites &writes) {
  SmallVector<Operation *> readers;
  if (!collectReaders(load.contents.getResult(), readers))
    return false;
  Block *block = load.contents->getBlock();
  Operation *last = load.contents;
  for (Operation *reader : readers) {
    Operation *ancestor = block->findAncestorOpInBlock(*reader);
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return !writes.isAnyBetween(load.copy, last);
}

/// The block in memory, or its copy where a bound cuts it off.
Value selectBlock(OpBuilder &builder, BlockLoad &load) {
  Location loc = load.copy.getLoc();
  auto type = getRowsAnywhere(load.buffer.getType());
  auto branch = scf::IfOp::create(builder, loc, type, load.fill.getCondition(),
                                  /*withElseRegion=*/true);
  // The fill comes along, so that it is clear whose buffer is filled.
  Block *isCutOff = branch.thenBlock();
  isCutOff->getOperations().splice(
      isCutOff->begin(), load.fill.thenBlock()->getOperations(),
      load.fill.thenBlock()->begin(),
      load.fill.thenBlock()->without_terminator().end());
  load.copy->moveBefore(isCutOff, isCutOff->end());
  OpBuilder inner = OpBuilder::atBlockEnd(isCutOff);
  Value buffer = memref::CastOp::create(inner, loc, type, load.buffer);
  scf::YieldOp::create(inner, loc, buffer);
  inner.setInsertionPointToEnd(branch.elseBlock());
  Value view = memref::CastOp::create(inner, loc, type, load.view);
  scf::YieldOp::create(inner, loc, view);
  load.fill.erase();
  return branch.getResult(0);
}

void readInPlace(BlockLoad &load) {
  OpBuilder builder(load.contents);
  Value block = load.view;
  if (load.fill) {
    block = selectBlock(builder, load);
  } else {
    load.copy.erase();
  }
  Value contents = bufferization::ToTensorOp::create(
      builder, load.contents.getLoc(), load.contents.getType(), block,
      /*restrict=*/true, /*writable=*/false);
  load.contents.replaceAllUsesWith(contents);
  load.contents.erase();
  if (load.buffer->use_empty())
    load.buffer.erase();
}

struct CpuReadInPlace
    : triton_shared::impl::CpuReadInPlaceBase<CpuReadInPlace> {
  void runOnOperation() override {
    SmallVector<memref::AllocOp> buffers;
    getOperation().walk([&](memref::AllocOp op) { buffers.push_back(op); });
    OutsideWrites writes; // Reading in place changes none of them.
    for (memref::AllocOp buffer : buffers) {
      BlockLoad load;
      if (!matchBlockLoad(buffer, load))
        continue;
      auto type = dyn_cast<MemRefType>(load.view.getType());
      if (type && type.getShape() == buffer.getType().getShape() &&
          type.getElementType() == buffer.getType().getElementType() &&
          getRowsAnywhere(type) && staysUnchanged(load, writes))
        readInPlace(load);
    }
  }
};

} // namespace
