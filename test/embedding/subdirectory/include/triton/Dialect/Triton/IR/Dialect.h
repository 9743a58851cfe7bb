//===- Dialect.h - Stands in for the header of a Triton tree ----*- C++ -*-===//
//
// Has what a Triton tree has at this path. No Triton tree is at hand, so it is
// made from the bundled dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_DIALECT_H
#define TRITON_DIALECT_TRITON_IR_DIALECT_H

#include "triton-shared/Dialect/Triton/IR/BundledTriton.h"

#endif // TRITON_DIALECT_TRITON_IR_DIALECT_H
