// RUN: triton-shared-opt %s --cpu-bound-aliases=most=2 | FileCheck %s
// RUN: triton-shared-opt %s --cpu-bound-aliases=most=2 --one-shot-bufferize \
// RUN:   -o /dev/null

// What two branches have handed on is copied; the copy is handed on anew.
// CHECK-LABEL: func.func @branches(
// CHECK:         %[[A:.*]] = scf.if
// CHECK-NOT:     alloc_tensor
// CHECK:         %[[B:.*]] = scf.if
// CHECK:           scf.yield %[[A]]
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK:         %[[C:.*]] = scf.if
// CHECK:           scf.yield %[[COPY]]
// CHECK-NOT:     alloc_tensor
// CHECK:         return %[[C]]
func.func @branches(%c: i1, %t: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.if %c -> tensor<8xf32> {
    %3 = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %t : tensor<8xf32>
  }
  %1 = scf.if %c -> tensor<8xf32> {
    %3 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  %2 = scf.if %c -> tensor<8xf32> {
    %3 = linalg.exp ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %1 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}

// Loops hand on what they are given, and what is written into it.
// CHECK-LABEL: func.func @loops(
// CHECK:         %[[A:.*]] = scf.for
// CHECK:         %[[WRITTEN:.*]] = linalg.fill {{.*}} outs(%[[A]] :
// CHECK:         %[[B:.*]] = scf.for {{.*}} = %[[WRITTEN]]
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK:         return %[[COPY]]
func.func @loops(%n: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %3 = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %1) -> tensor<8xf32> {
    %3 = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}

// What computes new blocks hands nothing on.
// CHECK-LABEL: func.func @fresh(
// CHECK-NOT:     alloc_tensor
func.func @fresh(%c: i1, %t: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.if %c -> tensor<8xf32> {
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %e : tensor<8xf32>
  }
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = scf.if %c -> tensor<8xf32> {
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %e : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}
