// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

// Lanes that reduce many rows together share them out.

#x = #cta.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[8, 0]]>
#all = #cta.layout<register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]], warp = [[8]]>
#part = #cta.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[8]]>

// Eight rows: 4, 2, 1, 1 and 1 shuffles for the bits of the lane's number, and no more.
// CHECK-LABEL: gpu.func @parts(
// CHECK-COUNT-9: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK:         gpu.return
func.func @parts(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i64
  %x = tts.load %p[%c0] strides [32, 1] : memref<*xf32> -> tensor<16x32xf32, #x>
  %s = cta.reduce %x axis 1 spread : (tensor<16x32xf32, #x>) -> tensor<16xf32, #part> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %s to %p[%c0] strides [1] : tensor<16xf32, #part>, memref<*xf32>
  return
}

// And 1, 2 and 4 to bring the results back to all, where 40 were needed otherwise.
// CHECK-LABEL: gpu.func @all(
// CHECK-COUNT-16: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl
// CHECK:          gpu.return
func.func @all(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i64
  %x = tts.load %p[%c0] strides [32, 1] : memref<*xf32> -> tensor<16x32xf32, #x>
  %s = cta.reduce %x axis 1 : (tensor<16x32xf32, #x>) -> tensor<16xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %s to %p[%c0] strides [1] : tensor<16xf32, #all>, memref<*xf32>
  return
}

// Not so if the order matters: a shuffle per row and bit.
// CHECK-LABEL: gpu.func @in_order(
// CHECK-COUNT-40: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl
// CHECK:          gpu.return
func.func @in_order(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i64
  %x = tts.load %p[%c0] strides [32, 1] : memref<*xf32> -> tensor<16x32xf32, #x>
  %s = cta.reduce %x axis 1 : (tensor<16x32xf32, #x>) -> tensor<16xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.subf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %s to %p[%c0] strides [1] : tensor<16xf32, #all>, memref<*xf32>
  return
}

// Two rows are too few: one more step would take longer.
#y = #cta.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[2, 0]]>
#both = #cta.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[2]]>
// CHECK-LABEL: gpu.func @two(
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl
// CHECK:          gpu.return
func.func @two(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i64
  %x = tts.load %p[%c0] strides [32, 1] : memref<*xf32> -> tensor<4x32xf32, #y>
  %s = cta.reduce %x axis 1 : (tensor<4x32xf32, #y>) -> tensor<4xf32, #both> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %s to %p[%c0] strides [1] : tensor<4xf32, #both>, memref<*xf32>
  return
}
