//===- BufferLifetimes.h - From where to where a buffer is used -*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_BUFFERLIFETIMES_H
#define TRITON_SHARED_ANALYSIS_BUFFERLIFETIMES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::triton_shared {

/// The operations that may access the memory of `buffer`, through views,
/// branches and loops; nothing if its address may go anywhere.
std::optional<SmallVector<Operation *>>
findUsers(memref::AllocOp buffer, const BufferViewFlowAnalysis &views);

/// Positions in the text of a function, both ends included.
struct Lifetime {
  unsigned first, last;

  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Numbers the operations of a function and tells the lifetimes of its buffers.
class BufferLifetimes {
public:
  explicit BufferLifetimes(FunctionOpInterface function);

  /// From the first operation to the last one that may access `buffer`. An
  /// access inside a loop that does not contain the buffer lasts as long as the
  /// loop.
  Lifetime get(memref::AllocOp buffer) const;

private:
  /// Makes `life` last over `user`, an operation that accesses `buffer`.
  void extend(Lifetime &life, Operation *buffer, Operation *user) const;

  FunctionOpInterface function;
  BufferViewFlowAnalysis views;
  /// The number of an operation, and of the last one nested in it.
  DenseMap<Operation *, Lifetime> positions;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_BUFFERLIFETIMES_H
