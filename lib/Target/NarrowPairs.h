//===- NarrowPairs.h - Pairs of 8-bit floats in a register ------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_NARROWPAIRS_H
#define TRITON_SHARED_LIB_TARGET_NARROWPAIRS_H

#include <string>

namespace mlir::triton_shared {

/// Hides from ptxas, in the text `ptx`, what a pair of narrow floats was
/// converted from, where the pair is the lower half of a register and the upper
/// half is computed from the pair, or may be an equal pair, or something else
/// reads the pair before the register is put together.
///
/// A GPU converts two floats to 8 bits each (`cvt ... .e4m3x2`) and takes the
/// upper half of the register from another one. The ptxas of CUDA 12.8 and 12.9
/// uses that for `{pair, other}` without a look at what `other` comes from: if
/// that is the pair, as where its bytes become lanes of 16 bits or where both
/// are of the same numbers and converted once, the upper half is garbage. Nor
/// does the pair have a register of its own then: what reads it earlier reads
/// R1. That of 13.0 is right.
void separateNarrowPairs(std::string &ptx);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_NARROWPAIRS_H
