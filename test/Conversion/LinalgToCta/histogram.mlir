// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// A histogram is one of a tile.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<32xi8>, %[[M:[^:]*]]: tensor<32xi1>
// CHECK:         cta.histogram %[[X]] : tensor<32xi8> -> tensor<1xi32>
// CHECK:         cta.histogram %[[X]] mask %[[M]] : tensor<32xi1> : tensor<32xi8> -> tensor<4xi32>
func.func @masked(%x: tensor<32xi8>, %m: tensor<32xi1>) -> (tensor<1xi32>, tensor<4xi32>) {
  %0 = tts.histogram %x : tensor<32xi8> -> tensor<1xi32>
  %1 = tts.histogram %x mask %m : tensor<32xi1> : tensor<32xi8> -> tensor<4xi32>
  return %0, %1 : tensor<1xi32>, tensor<4xi32>
}
