//===- ShortSigns.h - Negated numbers of 16 bits ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_SHORTSIGNS_H
#define TRITON_SHARED_LIB_TARGET_SHORTSIGNS_H

#include <string>

namespace mlir::triton_shared {

/// Computes with 32 bits wherever the text `ptx` negates a number of 16 bits,
/// or takes its amount.
///
/// ptxas, that of CUDA 12.8 as that of 13.0, computes `neg.s16` and `abs.s16`
/// so itself, and takes the result for one that fits into 16 bits: what reads
/// it as a signed number, as a conversion or a quotient does, finds 32768 where
/// LLVM means -32768.
void widenShortSigns(std::string &ptx);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_SHORTSIGNS_H
