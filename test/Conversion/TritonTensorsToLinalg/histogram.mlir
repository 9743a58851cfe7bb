// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// A histogram stays one operation, with its mask if there is one.
// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[X:.*]]: tensor<64xi32>, %[[M:.*]]: tensor<64xi1>)
// CHECK:         tts.histogram %[[X]] : tensor<64xi32> -> tensor<16xi32>
// CHECK:         tts.histogram %[[X]] mask %[[M]] : tensor<64xi1> : tensor<64xi32> -> tensor<16xi32>
func.func @count(%x: tensor<64xi32>, %m: tensor<64xi1>) -> (tensor<16xi32>, tensor<16xi32>) {
  %0 = tt.histogram %x : tensor<64xi32> -> tensor<16xi32>
  %1 = tt.histogram %x, %m : tensor<64xi32> -> tensor<16xi32>
  return %0, %1 : tensor<16xi32>, tensor<16xi32>
}
