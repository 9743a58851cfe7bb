//===- SharedUse.cpp - Who needs shared memory, and who waits -------------===//

#include "SharedUse.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

int64_t triton_shared::getSharedBytes(Operation *op) {
  if (auto tiles = dyn_cast<cta::CtaOpInterface>(op))
    return tiles.getSharedBytes();
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  return access && access.isAtomic() ? cta::getAtomicSharedBytes(access) : 0;
}

SmallVector<Operation *> triton_shared::findBufferUsers(Value buffer) {
  SmallVector<Operation *> users = llvm::to_vector(buffer.getUsers());
  for (size_t i = 0; i < users.size(); ++i)
    if (isa<cta::TransposeBufferOp>(users[i]))
      llvm::append_range(users, users[i]->getUsers());
  return users;
}

bool triton_shared::isBarrier(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return isa<gpu::BarrierOp>(op) || (tiles && tiles.isBarrier());
}
