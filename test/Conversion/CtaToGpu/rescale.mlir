// What a warp need not compute: where all its factors are one, where no element asks for it.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @rescale(
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
// CHECK: %[[OTHER:.*]] = arith.cmpf une, %[[FACTOR:.*]], %[[ONE]] : vector<2xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[OTHER]] : vector<2xi1> into i1
// CHECK: %[[WARP:.*]] = nvvm.vote.sync any %{{.*}}, %[[ANY]] -> i1
// CHECK: scf.if %[[WARP]] -> (vector<2xf32>) {
// CHECK:   nvvm.bar.warp.sync
// CHECK:   %[[PRODUCT:.*]] = arith.mulf %[[SOURCE:.*]], %[[FACTOR]]
// CHECK:   scf.yield %[[PRODUCT]]
// CHECK: } else {
// CHECK:   scf.yield %[[SOURCE]]
#a = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
func.func @rescale(%p: memref<*xf32>, %q: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %f = tts.load %q[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %r = cta.rescale %v by %f : tensor<128xf32, #a>
  tts.store %r to %p[%zero] strides [1] : tensor<128xf32, #a>, memref<*xf32>
  return
}

// CHECK-LABEL: gpu.func @any(
// CHECK: %[[X:.*]] = vector.reduction <or>, %{{.*}} : vector<2xi1> into i1
// CHECK: %[[Y:.*]] = vector.reduction <or>, %{{.*}} : vector<2xi1> into i1
// CHECK: %[[EITHER:.*]] = arith.ori %[[X]], %[[Y]]
// CHECK: %[[WARP:.*]] = nvvm.vote.sync any %{{.*}}, %[[EITHER]] -> i1
// CHECK: arith.select %[[WARP]]
func.func @any(%p: memref<*xf32>, %q: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %f = tts.load %q[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %c = arith.cmpf ogt, %v, %f : tensor<128xf32, #a>
  %d = arith.cmpf uno, %v, %f : tensor<128xf32, #a>
  %any = cta.warp_any %c, %d : tensor<128xi1, #a>, tensor<128xi1, #a>
  %r = arith.select %any, %v, %f : tensor<128xf32, #a>
  tts.store %r to %p[%zero] strides [1] : tensor<128xf32, #a>, memref<*xf32>
  return
}
