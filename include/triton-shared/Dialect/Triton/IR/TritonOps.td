//===- TritonOps.td - All operations of `tt` ---------------*- tablegen -*-===//
//
// The operations by topic, in the order in which a kernel uses them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_OPS
#define TRITON_SHARED_DIALECT_TRITON_OPS

include "triton-shared/Dialect/Triton/IR/TritonProgramOps.td"
include "triton-shared/Dialect/Triton/IR/TritonMemoryOps.td"
include "triton-shared/Dialect/Triton/IR/TritonAtomicOps.td"
include "triton-shared/Dialect/Triton/IR/TritonBlockAccessOps.td"
include "triton-shared/Dialect/Triton/IR/TritonShapeOps.td"
include "triton-shared/Dialect/Triton/IR/TritonElementwiseOps.td"
include "triton-shared/Dialect/Triton/IR/TritonReductionOps.td"

#endif // TRITON_SHARED_DIALECT_TRITON_OPS
