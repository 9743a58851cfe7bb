// Without tensor cores, operands go to shared memory and each thread walks along K.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []>
#c = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// 8x4 times 4x8: two neighbours of a row per thread share its left element. The
// right operand lies behind the 128 bytes of the left one.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: cta.shared = 256 : i64
func.func @product(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  // CHECK: llvm.store %{{.*}} : vector<1xi32>, !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}} : vector<1xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: scf.for {{.*}} -> (vector<2xi32>)
  // CHECK: %[[LEFT:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: %[[RIGHT0:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: %[[PRODUCT0:.*]] = arith.muli %[[LEFT]], %[[RIGHT0]] : i32
  // CHECK: arith.addi %{{.*}}, %[[PRODUCT0]] : i32
  // CHECK: %[[RIGHT1:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: %[[PRODUCT1:.*]] = arith.muli %[[LEFT]], %[[RIGHT1]] : i32
  // CHECK: arith.addi %{{.*}}, %[[PRODUCT1]] : i32
  // CHECK: scf.yield
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [4, 1] : memref<*xi32> -> tensor<8x4xi32, #a>
  %b = tts.load %p[%zero] strides [8, 1] : memref<*xi32> -> tensor<4x8xi32, #b>
  %start = arith.constant dense<0> : tensor<8x8xi32, #c>
  %d = cta.dot %a, %b, %start : tensor<8x4xi32, #a>, tensor<4x8xi32, #b> -> tensor<8x8xi32, #c>
  tts.store %d to %p[%zero] strides [8, 1] : tensor<8x8xi32, #c>, memref<*xi32>
  return
}
