//===- PlacedText.h - Where each operation stands in a text -----*- C++ -*-===//
//
// The text of a phase for people, and beside it which line is which operation
// and where in the kernel's source that comes from: nobody has to read the text
// for it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DRIVER_PLACEDTEXT_H
#define TRITON_SHARED_DRIVER_PLACEDTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Target/IrLines.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// Adds to what a text says about an operation.
using AddFacts = function_ref<void(Operation *, llvm::json::Object &)>;

/// {"text", "operations": [{"line", "op", "name", "places"}, …]}: lines count
/// from 1, `name` and `places` are those of Analysis/SourcePlaces.h.
llvm::json::Object placeText(ModuleOp module, AddFacts add = nullptr);

/// The same of LLVM IR, whose instructions are the operations.
llvm::json::Object placeText(StringRef llvmIr, ArrayRef<IrLine> lines);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_DRIVER_PLACEDTEXT_H
