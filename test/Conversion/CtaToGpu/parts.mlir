// Parts of tiles are registers, which are chosen and put together.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

#two = #cta.layout<register = [[0, 1], [0, 16]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = []>
#one = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = []>
// CHECK-LABEL: gpu.func @take(
// CHECK: %[[PART:.*]] = vector.shuffle %[[ALL:.*]], %[[ALL]] [2, 3]
// CHECK-NOT: llvm.load {{.*}}ptr<3>
// CHECK: gpu.return
func.func @take(%x: memref<*xf16>, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %at = arith.constant 0 : i64
  %v = tts.load %x[%at] strides [32, 1] : memref<*xf16> -> tensor<4x32xf16, #two>
  %p = cta.slice %v [0, 16] : tensor<4x32xf16, #two> -> tensor<4x16xf16, #one>
  tts.store %p to %o[%at] strides [16, 1] : tensor<4x16xf16, #one>, memref<*xf16>
  return
}

// CHECK-LABEL: gpu.func @put(
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5] : vector<4xf16>, vector<2xf16>
// CHECK-NOT: llvm.load {{.*}}ptr<3>
// CHECK: gpu.return
func.func @put(%x: memref<*xf16>, %y: memref<*xf16>, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %at = arith.constant 0 : i64
  %v = tts.load %x[%at] strides [32, 1] : memref<*xf16> -> tensor<4x32xf16, #two>
  %w = tts.load %y[%at] strides [16, 1] : memref<*xf16> -> tensor<4x16xf16, #one>
  %p = cta.insert_slice %w into %v [0, 16] : tensor<4x16xf16, #one> into tensor<4x32xf16, #two>
  tts.store %p to %o[%at] strides [32, 1] : tensor<4x32xf16, #two>, memref<*xf16>
  return
}
