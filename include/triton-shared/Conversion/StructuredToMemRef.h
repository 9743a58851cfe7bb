//===- StructuredToMemRef.h - Accesses to views and copies ------*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_STRUCTUREDTOMEMREF_H
#define TRITON_SHARED_CONVERSION_STRUCTUREDTOMEMREF_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::triton_shared {

#define GEN_PASS_DECL_STRUCTUREDCHECKACCESSES
#define GEN_PASS_DECL_STRUCTUREDTOMEMREF
#include "triton-shared/Conversion/Passes.h.inc"

/// Adds the patterns of the pass. They make no `tts` operation, so one walk
/// applies them all.
void populateStructuredToMemRef(RewritePatternSet &patterns);

/// Adds the pattern that makes a loop of a `tts.scan`, which combines elements
/// in their order and each pair once.
void populateScansToLoops(RewritePatternSet &patterns);

/// A private declaration of the function `name` in the module of `user`.
func::FuncOp declareRuntimeFunction(OpBuilder &builder, Operation *user,
                                    StringRef name, TypeRange operands,
                                    TypeRange results);

/// `text` as a constant of the module of `user`: its address, an LLVM pointer,
/// and its size, an i64.
SmallVector<Value> textConstant(OpBuilder &builder, Operation *user,
                                StringRef text);

/// The memory at an LLVM pointer as a `memref<1xT>`: its descriptor behind a
/// `builtin.unrealized_conversion_cast`, which goes away with the conversion to
/// the LLVM dialect. The pointer's address space is the memref's memory space.
Value memrefFromPointer(OpBuilder &builder, Location loc, Value pointer,
                        Type elementType);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_STRUCTUREDTOMEMREF_H
