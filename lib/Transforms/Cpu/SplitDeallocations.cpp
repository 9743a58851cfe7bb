//===- SplitDeallocations.cpp - Long lists of buffers to free -------------===//
//
// A block ends with the list of all buffers that it owns. That no two of them
// are the same is found out by pairs: for a thousand branches in a row this
// took most of the time, and what was not known was asked in each program.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUSPLITDEALLOCATIONS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// What gives values that own buffers: an operation, or a block to its
/// arguments.
using Owner = PointerUnion<Operation *, Block *>;

/// Who owns the memory that `memref` shows; null if that is not known.
Owner findOwner(Value memref) {
  while (Operation *maker = memref.getDefiningOp()) {
    if (auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(maker))
      memref = parts.getSource();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(maker))
      memref = view.getViewSource();
    else if (isa<memref::AllocOp, bufferization::CloneOp,
                 RegionBranchOpInterface>(maker))
      return maker;
    else
      return nullptr;
  }
  return cast<BlockArgument>(memref).getOwner();
}

/// A part of a list: buffers, and whether each is to be freed.
struct Part {
  SmallVector<Value> memrefs;
  SmallVector<Value> conditions;
};

struct CpuSplitDeallocations
    : triton_shared::impl::CpuSplitDeallocationsBase<CpuSplitDeallocations> {
  using CpuSplitDeallocationsBase::CpuSplitDeallocationsBase;

  void runOnOperation() override {
    SmallVector<bufferization::DeallocOp> lists;
    getOperation().walk([&](bufferization::DeallocOp op) {
      if (op.getMemrefs().size() >= least)
        lists.push_back(op);
    });
    for (bufferization::DeallocOp op : lists)
      split(op);
  }

private:
  static void split(bufferization::DeallocOp op) {
    llvm::MapVector<Owner, Part> parts;
    for (auto [memref, condition] :
         llvm::zip_equal(op.getMemrefs(), op.getConditions())) {
      Owner owner = findOwner(memref);
      if (!owner)
        return;
      parts[owner].memrefs.push_back(memref);
      parts[owner].conditions.push_back(condition);
    }
    OpBuilder builder(op);
    // Whether somebody gave a retained buffer its owner.
    SmallVector<Value> given;
    for (auto &[owner, part] : parts) {
      auto freed =
          bufferization::DeallocOp::create(builder, op.getLoc(), part.memrefs,
                                           part.conditions, op.getRetained());
      if (given.empty())
        llvm::append_range(given, freed.getUpdatedConditions());
      else
        for (auto [all, one] :
             llvm::zip_equal(given, freed.getUpdatedConditions()))
          all = arith::OrIOp::create(builder, op.getLoc(), all, one);
    }
    op->replaceAllUsesWith(given);
    op->erase();
  }
};

} // namespace
