//===- PointerHints.h - What a kernel says of its pointers ------*- C++ -*-===//
//
// Where an address comes from memory, nothing is known of its alignment but
// what `tl.multiple_of` says. Triton keeps that as `tt.divisibility` of the
// operation that makes a block of pointers; a loop that moves the block on by
// a multiple keeps it true. Where indices are data, `tl.max_contiguous` may say
// that neighbours follow each other.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_POINTERHINTS_H
#define TRITON_SHARED_ANALYSIS_POINTERHINTS_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// Attribute of a load: for each dimension of the block, bytes at a multiple of
/// which neighbours begin, if they lie side by side along that dimension.
inline constexpr llvm::StringLiteral kLineAlignment = "tts.line_alignment";

/// What hints on `pointers`, a block, say of it in these terms; null if
/// nothing. `solver` has run `DivisibilityAnalysis`.
DenseI64ArrayAttr findLineAlignment(const DataFlowSolver &solver,
                                    Value pointers);

/// Attribute of a load or store with gathered dimensions: for each dimension,
/// how many neighbours have indices that ascend by one, from a multiple of how
/// many they are; one where nothing is said.
inline constexpr llvm::StringLiteral kIndexRuns = "tts.index_runs";

/// What `tl.max_contiguous` and `tl.multiple_of` say of the gathered
/// `dimensions` in these terms; null if nothing.
DenseI64ArrayAttr findIndexRuns(ArrayRef<tts::DimensionAccess> dimensions,
                                MLIRContext *context);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_POINTERHINTS_H
