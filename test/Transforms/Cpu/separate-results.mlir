// RUN: triton-shared-opt %s --cpu-separate-results | FileCheck %s
// RUN: triton-shared-opt %s --cpu-separate-results=least=3 | FileCheck %s --check-prefix=FEW

// Two operations do not share what they write to.
// CHECK-LABEL: func.func @shared_result(
// CHECK:         %[[A:.*]] = tensor.empty()
// CHECK:         %[[B:.*]] = tensor.empty()
// CHECK:         linalg.exp {{.*}} outs(%[[B]] :
// CHECK:         linalg.exp {{.*}} outs(%[[A]] :
func.func @shared_result(%t: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A function of fewer operations than asked for stays as it is.
// FEW-LABEL: func.func @shared_result(
// FEW:         %[[A:.*]] = tensor.empty()
// FEW-NOT:     tensor.empty()
// FEW:         linalg.exp {{.*}} outs(%[[A]] :
// FEW:         linalg.exp {{.*}} outs(%[[A]] :
