//===- ProbePoints.h - The values of a kernel, by number --------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATION_PROBEPOINTS_H
#define TRITON_SHARED_TRANSFORMS_VALIDATION_PROBEPOINTS_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace mlir::triton_shared {

/// The values of a kernel that can be written down, in the order in which the
/// text has them. Passes that look for the same ones give them the same
/// numbers.
class ProbePoints {
public:
  explicit ProbePoints(triton::FuncOp kernel);

  ArrayRef<Value> getValues() const { return values; }

  /// What is known of each, and of what the kernel stores, as JSON.
  std::string describe() const;

private:
  void collect(Block &block);
  void add(Value value);
  /// -1 for a value that is not one of them.
  int64_t getNumber(Value value) const;
  void describe(Value value, llvm::json::OStream &json) const;
  void describe(Operation *store, llvm::json::OStream &json) const;
  /// The numbers of `operands`, and of what those are made of that have none.
  void listNumbers(ValueRange operands, llvm::json::OStream &json) const;
  void findBehind(Value value, DenseSet<Value> &seen,
                  SmallVectorImpl<int64_t> &found) const;

  triton::FuncOp kernel;
  SmallVector<Value> values;
  DenseMap<Value, int64_t> numbers;
};

/// The one public function of `module`; null, and an error, if that has none.
triton::FuncOp findTritonKernel(ModuleOp module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_VALIDATION_PROBEPOINTS_H
