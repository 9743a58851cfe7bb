//===- BufferOrigin.cpp - Whose memory a memref shows ---------------------===//

#include "BufferOrigin.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Transforms/MemoryEffects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isOwnBuffer(Value memref) {
  Value viewed = memref::skipViewLikeOps(cast<MemrefValue>(memref));
  return viewed.getDefiningOp<memref::AllocOp>() != nullptr;
}

/// The same for `op` without what is nested in it.
static bool mayWriteOutsideItself(Operation *op) {
  auto isOutside = [](Value memref) {
    return isa<BaseMemRefType>(memref.getType()) && !isOwnBuffer(memref);
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](memref::StoreOp store) { return isOutside(store.getMemRef()); })
      .Case([&](affine::AffineStoreOp store) {
        return isOutside(store.getMemRef());
      })
      .Case([&](memref::CopyOp copy) { return isOutside(copy.getTarget()); })
      .Case([&](bufferization::MaterializeInDestinationOp copy) {
        return isOutside(copy.getDest());
      })
      .Case([&](linalg::LinalgOp linalgOp) {
        return llvm::any_of(linalgOp.getDpsInits(), isOutside);
      })
      .Case([](func::CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        auto effects =
            callee
                ? callee->getAttrOfType<LLVM::MemoryEffectsAttr>(kMemoryEffects)
                : LLVM::MemoryEffectsAttr();
        return !effects || (effects.getOther() != LLVM::ModRefInfo::NoModRef &&
                            effects.getOther() != LLVM::ModRefInfo::Ref);
      })
      // Says nothing of its effects, and makes a tensor.
      .Case([](bufferization::AllocTensorOp) { return false; })
      .Default([](Operation *other) {
        if (other->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
          return false;
        auto effects = dyn_cast<MemoryEffectOpInterface>(other);
        return !effects || effects.hasEffect<MemoryEffects::Write>();
      });
}

bool triton_shared::mayWriteOutside(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return mayWriteOutsideItself(nested) ? WalkResult::interrupt()
                                             : WalkResult::advance();
      })
      .wasInterrupted();
}
