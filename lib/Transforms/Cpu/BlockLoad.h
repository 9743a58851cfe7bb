//===- BlockLoad.h - How phase memref loads a block -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CPU_BLOCKLOAD_H
#define TRITON_SHARED_LIB_TRANSFORMS_CPU_BLOCKLOAD_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::triton_shared {

/// The operations by which phase `memref` loads a strided block.
struct BlockLoad {
  memref::AllocOp buffer;
  memref::CopyOp copy;
  bufferization::ToTensorOp contents;
  /// The whole block in memory.
  Value view;
  /// Fills the buffer where the block is cut off; null if it never is.
  scf::IfOp fill;
  /// The part of the buffer that is copied to; null if it is all of it.
  memref::SubViewOp part;
};

/// Finds the operations around `buffer`; false if it is something else.
bool matchBlockLoad(memref::AllocOp buffer, BlockLoad &load);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CPU_BLOCKLOAD_H
