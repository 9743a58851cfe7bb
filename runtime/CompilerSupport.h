//===- CompilerSupport.h - Functions that compiled code may call -*- C++ -*-==//

#ifndef TRITON_SHARED_RUNTIME_COMPILERSUPPORT_H
#define TRITON_SHARED_RUNTIME_COMPILERSUPPORT_H

#include "llvm/ADT/ArrayRef.h"

namespace mlir::triton_shared {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// What compiled code calls and no shared library offers: our own functions,
/// and the helpers that LLVM falls back to for 16-bit floats and 128-bit
/// integers.
llvm::ArrayRef<RuntimeSymbol> runtimeSymbols();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_COMPILERSUPPORT_H
