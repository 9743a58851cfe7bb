//===- ShortLives.h - An order that registers suffice for -------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_SHORTLIVES_H
#define TRITON_SHARED_LIB_TARGET_SHORTLIVES_H

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::triton_shared {

/// Orders the instructions of kernels whose tiles need more registers than
/// leave room for half of the warps of an SM: what was computed of all elements
/// before anything else was, is computed of one after the other, as late as it
/// is needed. Loads are as early as half of the registers permit.
///
/// ptxas keeps to the order that it finds, but for some instructions, and
/// spills what that takes; where the order fits well, it is told how many it
/// has. Kernels with products of matrices are left as they
/// are: theirs overlap what tensor cores do.
std::unique_ptr<llvm::Module> shortenLives(std::unique_ptr<llvm::Module> module,
                                           llvm::TargetMachine &machine);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_SHORTLIVES_H
