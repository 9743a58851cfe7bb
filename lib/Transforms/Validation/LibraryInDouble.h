//===- LibraryInDouble.h - Functions of libdevice in f64 -------*- C++ -*--===//
//
// A function of f32, by its name in f64.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_LIBRARYINDOUBLE_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_LIBRARYINDOUBLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::triton_shared {

/// The function of libdevice that computes the same in f64; empty if the name
/// does not say which one that is.
std::string nameInDouble(llvm::StringRef symbol);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_LIBRARYINDOUBLE_H
