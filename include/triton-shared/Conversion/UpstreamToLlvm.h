//===- UpstreamToLlvm.h - Patterns of upstream-to-llvm ----------*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_UPSTREAMTOLLVM_H
#define TRITON_SHARED_CONVERSION_UPSTREAMTOLLVM_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace mlir::triton_shared {

/// What turns upstream's dialects into the LLVM dialect, but for `scf` and
/// `affine`: for one conversion together with others.
void populateUpstreamToLlvmPatterns(LLVMTypeConverter &converter,
                                    SymbolTableCollection &symbols,
                                    RewritePatternSet &patterns);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_UPSTREAMTOLLVM_H
