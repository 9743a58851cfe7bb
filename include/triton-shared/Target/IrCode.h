//===- IrCode.h - From the text of LLVM IR to code --------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_IRCODE_H
#define TRITON_SHARED_TARGET_IRCODE_H

#include "triton-shared/Target/CompileTarget.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// Makes code of LLVM IR as phase `llir` prints it, which is optimised and
/// says what CPU it is for: an object file or, if it `isReadable`, assembly for
/// the CPU; PTX for a GPU. Nothing after a failure, which is then told in
/// `error`.
std::optional<llvm::SmallString<0>> writeCodeOfIr(llvm::StringRef text,
                                                  const CompileTarget &target,
                                                  bool isReadable,
                                                  std::string &error);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_IRCODE_H
