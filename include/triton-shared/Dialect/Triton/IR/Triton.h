//===- Triton.h - Where the `tt` dialect comes from -------------*- C++ -*-===//
//
// The one switch between the bundled dialect and that of an embedding Triton
// tree. Everything else includes this header and uses Triton's C++ names.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_IR_TRITON_H
#define TRITON_SHARED_DIALECT_TRITON_IR_TRITON_H

#if defined(TRITON_SHARED_TT_DIALECT_EMBEDDING)
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#else
#include "triton-shared/Dialect/Triton/IR/BundledTriton.h"
#endif

#endif // TRITON_SHARED_DIALECT_TRITON_IR_TRITON_H
