// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

// 64-bit integers are divided as 32-bit ones where all of a thread fit, and none is divided by zero: that gives 64 bits.

#x = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: gpu.func @rest(
// CHECK:         %[[BELOW:.*]] = arith.subi %[[D:.*]], %{{.*}} : vector<2xi64>
// CHECK:         %[[BOTH:.*]] = arith.ori %[[D]], %[[BELOW]] : vector<2xi64>
// CHECK:         %[[BITS:.*]] = arith.ori %[[N:.*]], %[[BOTH]] : vector<2xi64>
// CHECK:         %[[ALL:.*]] = vector.reduction <or>, %[[BITS]] : vector<2xi64> into i64
// CHECK:         %[[FITS:.*]] = arith.cmpi ule, %[[ALL]], %c4294967295_i64 : i64
// CHECK:         scf.if %[[FITS]] -> (vector<2xi64>) {
// CHECK:           %[[SHORT_N:.*]] = arith.trunci %[[N]] : vector<2xi64> to vector<2xi32>
// CHECK:           %[[SHORT_D:.*]] = arith.trunci %[[D]] : vector<2xi64> to vector<2xi32>
// CHECK:           %[[REST:.*]] = arith.remui %[[SHORT_N]], %[[SHORT_D]] : vector<2xi32>
// CHECK:           %[[WIDE:.*]] = arith.extui %[[REST]] : vector<2xi32> to vector<2xi64>
// CHECK:           scf.yield %[[WIDE]]
// CHECK:         } else {
// CHECK:           %[[LONG:.*]] = arith.remsi %[[N]], %[[D]] : vector<2xi64>
// CHECK:           scf.yield %[[LONG]]
func.func @rest(%p: memref<*xi64>, %d: i64, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %c0 = arith.constant 0 : i64
  %n = tts.load %p[%c0] strides [1] : memref<*xi64> -> tensor<64xi64, #x>
  %all = cta.splat %d : tensor<64xi64, #x>
  %r = arith.remsi %n, %all : tensor<64xi64, #x>
  tts.store %r to %p[%c0] strides [1] : tensor<64xi64, #x>, memref<*xi64>
  return
}

// The quotient, with and without sign.
// CHECK-LABEL: gpu.func @quotient(
// CHECK:           arith.divui %{{.*}} : vector<2xi32>
// CHECK:           arith.divui %{{.*}} : vector<2xi64>
// CHECK:           arith.divui %{{.*}} : vector<2xi32>
// CHECK:           arith.divsi %{{.*}} : vector<2xi64>
func.func @quotient(%p: memref<*xi64>, %d: i64, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %c0 = arith.constant 0 : i64
  %n = tts.load %p[%c0] strides [1] : memref<*xi64> -> tensor<64xi64, #x>
  %all = cta.splat %d : tensor<64xi64, #x>
  %q = arith.divui %n, %all : tensor<64xi64, #x>
  %r = arith.divsi %q, %all : tensor<64xi64, #x>
  tts.store %r to %p[%c0] strides [1] : tensor<64xi64, #x>, memref<*xi64>
  return
}

// LLVM makes products of divisions by a constant; 32 bits are divided as they are.
// CHECK-LABEL: gpu.func @no_branch(
// CHECK-NOT:     scf.if
// CHECK:         arith.divsi %{{.*}} : vector<2xi64>
// CHECK:         arith.remsi %{{.*}} : vector<2xi32>
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
func.func @no_branch(%p: memref<*xi64>, %q: memref<*xi32>, %d: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %c0 = arith.constant 0 : i64
  %seven = arith.constant dense<7> : tensor<64xi64, #x>
  %n = tts.load %p[%c0] strides [1] : memref<*xi64> -> tensor<64xi64, #x>
  %r = arith.divsi %n, %seven : tensor<64xi64, #x>
  tts.store %r to %p[%c0] strides [1] : tensor<64xi64, #x>, memref<*xi64>
  %short = tts.load %q[%c0] strides [1] : memref<*xi32> -> tensor<64xi32, #x>
  %all = cta.splat %d : tensor<64xi32, #x>
  %rest = arith.remsi %short, %all : tensor<64xi32, #x>
  tts.store %rest to %q[%c0] strides [1] : tensor<64xi32, #x>, memref<*xi32>
  return
}
