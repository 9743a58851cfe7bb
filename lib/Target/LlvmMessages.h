//===- LlvmMessages.h - What LLVM says while it makes code ------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_LLVMMESSAGES_H
#define TRITON_SHARED_LIB_TARGET_LLVMMESSAGES_H

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace mlir::triton_shared {

/// Takes the errors of an LLVMContext as long as this lives, which is to be
/// longer than the context. By itself LLVM prints them and ends the process;
/// its warnings are about code that no user has written, and are dropped.
class LlvmMessages {
public:
  explicit LlvmMessages(llvm::LLVMContext &context);

  bool hasErrors() const { return !errors.empty(); }
  /// All errors, in one line.
  std::string describe() const;

private:
  llvm::SmallVector<std::string> errors;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_LLVMMESSAGES_H
