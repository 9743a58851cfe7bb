//===- Diagnostics.h - Diagnostics as text ----------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CAPI_DIAGNOSTICS_H
#define TRITON_SHARED_LIB_CAPI_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::triton_shared {

/// Writes `file:line:col: error: text (variable 'x')`, a line, and one for each
/// note; without a place, the text alone. A note names its variable if that is
/// another one.
void printDiagnostic(Diagnostic &diagnostic, llvm::raw_ostream &stream);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CAPI_DIAGNOSTICS_H
