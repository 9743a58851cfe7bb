//===- ShortIntegers.h - Arithmetic of 16 bits ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_SHORTINTEGERS_H
#define TRITON_SHARED_LIB_TARGET_SHORTINTEGERS_H

#include <string>

namespace mlir::triton_shared {

/// Writes in another way, in the text `ptx`, what ptxas gets wrong of integers
/// of 16 bits, that of CUDA 12.8 as that of 13.0:
///
/// - `neg.s16` and `abs.s16` are computed with 32 bits, and taken for numbers
/// of
///   16: what reads one as a signed number, as a conversion or a quotient does,
///   finds 32768 where -32768 was negated. Here the 32 bits are cut off.
/// - `add.s16x2` with a constant adds 0 if only one of the sums is used, as
/// where
///   the other one is stored under a condition that is false. Here it is two
///   sums.
void rewriteShortIntegers(std::string &ptx);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_SHORTINTEGERS_H
