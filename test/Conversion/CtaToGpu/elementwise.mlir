// An operation on tiles is the same operation on the registers of a thread.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#four = #cta.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = []>
#spread = #cta.layout<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#column = #cta.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// CHECK-LABEL: gpu.func @registers(
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>, %[[S:[^:]*]]: i32
func.func @registers(%p: memref<*xi32>, %s: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // The part of the coordinate that the lane decides, plus that of the register.
  // CHECK: %[[STEPS:.*]] = arith.constant dense<[0, 32, 64, 96]> : vector<4xi32>
  // CHECK: %[[LANE:.*]] = vector.broadcast %{{.*}} : i32 to vector<4xi32>
  // CHECK: %[[I:.*]] = arith.addi %[[LANE]], %[[STEPS]] : vector<4xi32>
  // CHECK: %[[MANY:.*]] = vector.broadcast %[[S]] : i32 to vector<4xi32>
  // CHECK: arith.muli %[[I]], %[[MANY]] : vector<4xi32>
  %zero = arith.constant 0 : i64
  %i = cta.iota 0 : tensor<128xi32, #four>
  %m = cta.splat %s : tensor<128xi32, #four>
  %v = arith.muli %i, %m : tensor<128xi32, #four>
  tts.store %v to %p[%zero] strides [1] : tensor<128xi32, #four>, memref<*xi32>
  return
}

// Every thread holds its row's element already: it is used for each column.
// CHECK-LABEL: gpu.func @repeat(
func.func @repeat(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: %[[ROW:.*]] = llvm.load {{.*}} -> vector<1xi32>
  // CHECK-NOT: nvvm.barrier
  // CHECK: %[[VALUE:.*]] = vector.extract %[[ROW]][0]
  // CHECK: %[[STORED:.*]] = vector.broadcast %[[VALUE]]
  // CHECK-COUNT-4: llvm.store %[[STORED]]
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %row = tts.load %p[%zero] strides [1, 1] : memref<*xi32> -> tensor<32x1xi32, #column>
  %all = cta.broadcast %row : tensor<32x1xi32, #column> -> tensor<32x4xi32, #spread>
  tts.store %all to %p[%zero] strides [4, 1] : tensor<32x4xi32, #spread>, memref<*xi32>
  return
}

// A body with branches runs once per register.
// CHECK-LABEL: gpu.func @branches(
func.func @branches(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK-COUNT-4: scf.while
  // CHECK-NOT: scf.while
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xi32> -> tensor<128xi32, #four>
  %w = cta.map %v : (tensor<128xi32, #four>) -> tensor<128xi32, #four> {
  ^bb0(%e: i32):
    %one = arith.constant 1 : i32
    %last = scf.while (%k = %e) : (i32) -> i32 {
      %big = arith.cmpi sgt, %k, %one : i32
      scf.condition(%big) %k : i32
    } do {
    ^bb0(%k: i32):
      %half = arith.shrsi %k, %one : i32
      scf.yield %half : i32
    }
    cta.yield %last : i32
  }
  tts.store %w to %p[%zero] strides [1] : tensor<128xi32, #four>, memref<*xi32>
  return
}

// What is read as bf16 lies in words: the lower half moves up, the upper half stays.
// CHECK-LABEL: gpu.func @widen_words(
// CHECK:         %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
// CHECK-DAG:     %[[FIRST:.*]] = arith.shli %[[WORDS]], %
// CHECK-DAG:     %[[SECOND:.*]] = arith.andi %[[WORDS]], %
// CHECK:         %[[BOTH:.*]] = vector.interleave %[[FIRST]], %[[SECOND]]
// CHECK:         vector.bitcast %[[BOTH]] : vector<4xi32> to vector<4xf32>
// CHECK-NOT:     arith.extf
// CHECK:         gpu.return
#w = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
func.func @widen_words(%p: memref<*xbf16>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xbf16> -> tensor<128xbf16, #w>
  %f = arith.extf %v : tensor<128xbf16, #w> to tensor<128xf32, #w>
  tts.store %f to %o[%zero] strides [1] : tensor<128xf32, #w>, memref<*xf32>
  return
}
