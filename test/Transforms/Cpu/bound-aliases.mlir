// RUN: triton-shared-opt %s --cpu-bound-aliases=most=2 | FileCheck %s
// RUN: triton-shared-opt %s --cpu-bound-aliases="most=2 uses=3" \
// RUN:   | FileCheck %s --check-prefix=USES
// RUN: triton-shared-opt %s --cpu-bound-aliases="most=2 uses=3" \
// RUN:   --one-shot-bufferize -o /dev/null

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

// What is behind the first three uses of a block reads a copy, and what is
// behind the first three uses of that a copy of it. Uses in a loop count, and
// copies are made in front of it.
// CHECK-LABEL: func.func @uses(
// CHECK-NOT:     alloc_tensor
// USES-LABEL: func.func @uses(
// USES-SAME:    %[[T:.*]]: tensor<8xf32>, %[[N:.*]]: index
// USES:         linalg.add ins(%[[T]], %[[T]] :
// USES:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[T]])
// USES:         scf.for
// USES:           linalg.add ins(%[[T]], %[[COPY]] :
// USES:         linalg.max ins(%[[COPY]], %[[COPY]] :
// USES:         %[[AGAIN:.*]] = bufferization.alloc_tensor() copy(%[[COPY]])
// USES:         linalg.max ins(%[[AGAIN]], %{{.*}} :
// USES-NOT:     alloc_tensor
// USES:         return
func.func @uses(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e0 = tensor.empty() : tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %e2 = tensor.empty() : tensor<8xf32>
  %e3 = tensor.empty() : tensor<8xf32>
  %0 = linalg.add ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %3 = linalg.add ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  }
  %1 = linalg.max ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e2 : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.max ins(%t, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e3 : tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
