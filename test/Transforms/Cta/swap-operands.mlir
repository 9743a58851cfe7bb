// Products of few rows are computed transposed, so that a wgmma has rows enough.
// RUN: triton-shared-opt %s --cta-swap-operands --split-input-file | FileCheck %s

// The sum is transposed in the loop, and turned once behind it.
// CHECK-LABEL: func.func @skinny(
// CHECK: %[[ZERO:[a-z0-9_]+]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK: %[[SUM:[0-9]+]] = scf.for {{.*}} iter_args(%[[ADDED:[a-z0-9]+]] = %[[ZERO]]) -> (tensor<64x16xf32>)
// CHECK: %[[A:.*]] = tts.load %{{.*}} : memref<*xf16> -> tensor<16x32xf16>
// CHECK: %[[B:.*]] = tts.load %{{.*}} : memref<*xf16> -> tensor<32x64xf16>
// CHECK-DAG: %[[LEFT:.*]] = cta.transpose %[[B]] [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK-DAG: %[[RIGHT:.*]] = cta.transpose %[[A]] [1, 0] : tensor<16x32xf16> -> tensor<32x16xf16>
// CHECK: %[[D:.*]] = cta.dot %[[LEFT]], %[[RIGHT]], %[[ADDED]] : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
// CHECK-NEXT: scf.yield %[[D]] : tensor<64x16xf32>
// CHECK: %[[TURNED:.*]] = cta.transpose %[[SUM]] [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
// CHECK: return %[[TURNED]]
func.func @skinny(%p: memref<*xf16>, %q: memref<*xf16>, %n: i64) -> tensor<16x64xf32>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<16x64xf32>) : i64 {
    %a = tts.load %p[%k] strides [%n, 1] : memref<*xf16> -> tensor<16x32xf16>
    %b = tts.load %q[%k] strides [64, 1] : memref<*xf16> -> tensor<32x64xf16>
    %d = cta.dot %a, %b, %sum : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// -----

// What the sum starts from is transposed before the loop; precision stays, and so do bytes that
// lie along K.
// CHECK-LABEL: func.func @starts(
// CHECK-SAME: %[[START:[a-z0-9]*]]: tensor<32x64xi32>
// CHECK: %[[FIRST:.*]] = cta.transpose %[[START]] [1, 0] : tensor<32x64xi32> -> tensor<64x32xi32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (tensor<64x32xi32>)
// CHECK: cta.dot %{{.*}} precision "ieee" : tensor<64x64xi8>, tensor<64x32xi8> -> tensor<64x32xi32>
func.func @starts(%p: memref<*xi8>, %q: memref<*xi8>, %n: i64, %start: tensor<32x64xi32>) -> tensor<32x64xi32>
    attributes {cta.num_warps = 8 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %start) -> (tensor<32x64xi32>) : i64 {
    %a = tts.load %p[%k] strides [%n, 1] : memref<*xi8> -> tensor<32x64xi8>
    %b = tts.load %q[%k] strides [1, %n] : memref<*xi8> -> tensor<64x64xi8>
    %d = cta.dot %a, %b, %sum precision "ieee" : tensor<32x64xi8>, tensor<64x64xi8> -> tensor<32x64xi32>
    scf.yield %d : tensor<32x64xi32>
  }
  return %r : tensor<32x64xi32>
}

// -----

// What is computed in each turn is not written to shared memory for so short a product, but for a long one.
// CHECK-LABEL: func.func @computed(
// CHECK: cta.dot %{{.*}} : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
// CHECK: cta.dot %{{.*}} : tensor<64x64xf16>, tensor<64x16xf16> -> tensor<64x16xf32>
func.func @computed(%p: memref<*xf16>, %q: memref<*xf16>, %n: i64) -> (tensor<16x64xf32>, tensor<16x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%sum0 = %zero, %sum1 = %zero) -> (tensor<16x64xf32>, tensor<16x64xf32>) : i64 {
    %a = tts.load %p[%k] strides [%n, 1] : memref<*xf16> -> tensor<16x16xf16>
    %b = tts.load %q[%k] strides [64, 1] : memref<*xf16> -> tensor<16x64xf16>
    %b2 = arith.addf %b, %b : tensor<16x64xf16>
    %d0 = cta.dot %a, %b2, %sum0 : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
    %x = tts.load %p[%k] strides [%n, 1] : memref<*xf16> -> tensor<16x64xf16>
    %y = tts.load %q[%k] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16>
    %y2 = arith.addf %y, %y : tensor<64x64xf16>
    %d1 = cta.dot %x, %y2, %sum1 : tensor<16x64xf16>, tensor<64x64xf16> -> tensor<16x64xf32>
    scf.yield %d0, %d1 : tensor<16x64xf32>, tensor<16x64xf32>
  }
  return %r#0, %r#1 : tensor<16x64xf32>, tensor<16x64xf32>
}

// -----

// Bytes that lie across K, sums that the loop changes, few columns and products in no loop stay.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: cta.transpose
func.func @stay(%p: memref<*xi8>, %q: memref<*xi8>, %n: i64, %x: tensor<16x32xf16>, %y: tensor<32x64xf16>, %z: tensor<32x32xf16>)
    -> (tensor<32x64xi32>, tensor<16x64xf32>, tensor<16x32xf32>, tensor<16x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %s0 = arith.constant dense<0> : tensor<32x64xi32>
  %s1 = arith.constant dense<0.0> : tensor<16x64xf32>
  %s2 = arith.constant dense<0.0> : tensor<16x32xf32>
  %half = arith.constant dense<0.5> : tensor<16x64xf32>
  %r:3 = scf.for %k = %c0 to %n step %c64 iter_args(%sum0 = %s0, %sum1 = %s1, %sum2 = %s2)
      -> (tensor<32x64xi32>, tensor<16x64xf32>, tensor<16x32xf32>) : i64 {
    %a = tts.load %p[%k] strides [%n, 1] : memref<*xi8> -> tensor<32x64xi8>
    %b = tts.load %q[%k] strides [64, 1] : memref<*xi8> -> tensor<64x64xi8>
    %d0 = cta.dot %a, %b, %sum0 : tensor<32x64xi8>, tensor<64x64xi8> -> tensor<32x64xi32>
    %scaled = arith.mulf %sum1, %half : tensor<16x64xf32>
    %d1 = cta.dot %x, %y, %scaled : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    %d2 = cta.dot %x, %z, %sum2 : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
    scf.yield %d0, %d1, %d2 : tensor<32x64xi32>, tensor<16x64xf32>, tensor<16x32xf32>
  }
  %d3 = cta.dot %x, %y, %s1 : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
  return %r#0, %r#1, %r#2, %d3 : tensor<32x64xi32>, tensor<16x64xf32>, tensor<16x32xf32>, tensor<16x64xf32>
}

// -----

// So does everything where there is no wgmma: on other GPUs, of other numbers of warps, beside calls.
// CHECK-LABEL: func.func @older(
// CHECK-NOT: cta.transpose
func.func @older(%x: tensor<16x32xf16>, %y: tensor<32x64xf16>, %n: i64) -> tensor<16x64xf32>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %s = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %s) -> (tensor<16x64xf32>) : i64 {
    %d = cta.dot %x, %y, %sum : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @two_warps(
// CHECK-NOT: cta.transpose
func.func @two_warps(%x: tensor<16x32xf16>, %y: tensor<32x64xf16>, %n: i64) -> tensor<16x64xf32>
    attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %s = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %s) -> (tensor<16x64xf32>) : i64 {
    %d = cta.dot %x, %y, %sum : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @prints(
// CHECK-NOT: cta.transpose
func.func @prints(%x: tensor<16x32xf16>, %y: tensor<32x64xf16>, %n: i64) -> tensor<16x64xf32>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %yes = arith.constant true
  %s = arith.constant dense<0.0> : tensor<16x64xf32>
  tts.assert %yes, "of the author" : i1
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %s) -> (tensor<16x64xf32>) : i64 {
    %d = cta.dot %x, %y, %sum : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
