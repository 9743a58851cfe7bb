//===- DescribeIndex.h - Index expressions for people -----------*- C++ -*-===//
//
// Prints the expressions of forms with the names that the kernel's author gave
// to the values in them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_DESCRIBEINDEX_H
#define TRITON_SHARED_ANALYSIS_DESCRIBEINDEX_H

#include "triton-shared/Analysis/AffineForm.h"

namespace mlir::triton_shared {

/// `64 * pid_m + stride_am`; what has no name is called after its kind and its
/// place in the analysis, as in `scalar3`.
std::string describeIndex(const AffineAnalysis &forms, AffineExpr expr);

/// A location of a loop whose induction variable is to have that name: that of
/// its own would be lost where the loop is written anew.
Location nameInductionVariable(Location loop, StringRef name);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_DESCRIBEINDEX_H
