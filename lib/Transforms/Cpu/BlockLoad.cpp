//===- BlockLoad.cpp - How phase memref loads a block ---------------------===//

#include "BlockLoad.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::matchBlockLoad(memref::AllocOp buffer, BlockLoad &load) {
  load.buffer = buffer;
  for (Operation *user : buffer->getUsers()) {
    if (auto contents = dyn_cast<bufferization::ToTensorOp>(user)) {
      if (load.contents || !contents.getRestrict())
        return false;
      load.contents = contents;
    } else if (auto copy = dyn_cast<memref::CopyOp>(user)) {
      if (load.copy || copy.getTarget() != buffer)
        return false;
      load.copy = copy;
    } else if (auto part = dyn_cast<memref::SubViewOp>(user)) {
      auto copy = part->hasOneUse()
                      ? dyn_cast<memref::CopyOp>(*part->user_begin())
                      : nullptr;
      if (!copy || load.copy || copy.getTarget() != part.getResult())
        return false;
      load.part = part;
      load.copy = copy;
    } else if (auto fill = dyn_cast<linalg::LinalgOp>(user)) {
      load.fill = dyn_cast<scf::IfOp>(fill->getParentOp());
      if (!load.fill || load.fill.elseBlock() ||
          load.fill.thenBlock() != fill->getBlock() ||
          !llvm::hasSingleElement(load.fill.thenBlock()->without_terminator()))
        return false;
    } else {
      return false;
    }
  }
  if (!load.contents || !load.copy ||
      load.copy->getBlock() != buffer->getBlock() ||
      bool(load.fill) != bool(load.part))
    return false;
  load.view = load.copy.getSource();
  if (load.part) {
    auto part = load.view.getDefiningOp<memref::SubViewOp>();
    if (!part)
      return false;
    load.view = part.getSource();
  }
  return true;
}
