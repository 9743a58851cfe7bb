//===- BlockOrder.h - In which order a block runs ---------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_BLOCKORDER_H
#define TRITON_SHARED_LIB_TARGET_BLOCKORDER_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace mlir::triton_shared {

/// All instructions of `block` but phis and its end, each as late as it is
/// needed; loads before that, while no more than `forLoads` registers hold
/// values. What has effects keeps its order, and no load crosses what may
/// write.
llvm::SmallVector<llvm::Instruction *> findShortOrder(llvm::BasicBlock &block,
                                                      unsigned forLoads);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_BLOCKORDER_H
