//===- Dialect.h - Stands in for the header of a Triton tree ----*- C++ -*-===//
//
// As triton/Dialect/Triton/IR/Dialect.h: the bundled header has both dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITONGPU_IR_DIALECT_H
#define TRITON_DIALECT_TRITONGPU_IR_DIALECT_H

#include "triton/Dialect/Triton/IR/Dialect.h"

#endif // TRITON_DIALECT_TRITONGPU_IR_DIALECT_H
