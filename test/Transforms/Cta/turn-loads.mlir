// Loads that are transposed for a product have their dimensions in the other order.
// RUN: triton-shared-opt %s --cta-turn-loads | FileCheck %s

// CHECK-LABEL: func.func @turned(
// CHECK: %[[B:.*]] = tts.load %{{.*}}[%{{.*}}] strides [1, %{{.*}}] bounds [1] from(%[[LOW:.*]]) to(%[[HIGH:.*]]) {cache = "cg", tts.index_runs = array<i64: 1, 8>, tts.line_alignment = array<i64: 16, 1>} : memref<*xf16> -> tensor<32x64xf16>
// CHECK-NOT: cta.transpose
// CHECK: cta.dot %{{.*}}, %[[B]], %{{.*}} : tensor<16x32xf16>, tensor<32x64xf16>
func.func @turned(%a: tensor<16x32xf16>, %p: memref<*xf16>, %o: i64, %s: i64, %n: i64, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0 : i64
  %0 = tts.load %p[%o] strides [%s, 1] bounds [0] from (%zero) to (%n) {cache = "cg", tts.index_runs = array<i64: 8, 1>, tts.line_alignment = array<i64: 1, 16>} : memref<*xf16> -> tensor<64x32xf16>
  %1 = cta.transpose %0 [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %2 = cta.dot %a, %1, %c : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}

// What has a mask, is volatile, or has other users, stays; so does what is for no product.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-4: cta.transpose
func.func @stays(%a: tensor<16x16xf16>, %p: memref<*xf16>, %o: i64, %mask: tensor<16x16xi1>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf16>, tensor<16x16xf16>) {
  %0 = tts.load %p[%o] strides [16, 1] mask %mask : tensor<16x16xi1> : memref<*xf16> -> tensor<16x16xf16>
  %1 = tts.load %p[%o] strides [16, 1] {is_volatile} : memref<*xf16> -> tensor<16x16xf16>
  %2 = tts.load %p[%o] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16>
  %3 = tts.load %p[%o] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16>
  %t0 = cta.transpose %0 [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
  %t1 = cta.transpose %1 [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
  %t2 = cta.transpose %2 [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
  %t3 = cta.transpose %3 [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
  %d0 = cta.dot %a, %t0, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %d1 = cta.dot %a, %t1, %d0 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %d2 = cta.dot %a, %t2, %d1 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return %d2, %2, %t3 : tensor<16x16xf32>, tensor<16x16xf16>, tensor<16x16xf16>
}
