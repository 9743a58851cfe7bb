// RUN: triton-shared-opt %s | triton-shared-opt | FileCheck %s

// CHECK-LABEL: func.func @every_op(
func.func @every_op(%p: !tt.ptr<f32>, %q: memref<*xi32>, %o: i64, %n: i64,
                    %x: tensor<8xi64>, %m: tensor<8x4xi1>, %f: f32,
                    %t: tensor<8x4xf32>, %b: tensor<8xi32>, %c: i1) {
  // CHECK: tts.load %{{.*}}[%{{.*}}] strides [] mask %{{.*}} : i1 other %{{.*}} : f32 : !tt.ptr<f32> -> f32
  %0 = tts.load %p[%o] strides [] mask %c : i1 other %f : f32 : !tt.ptr<f32> -> f32
  // CHECK: tts.load %{{.*}}[%{{.*}}] strides [%{{.*}}, 1] wrap [0] from(%{{.*}}) size(%{{.*}}) bounds [0, 1] from(%{{.*}}, %{{.*}}) to(%{{.*}}, %{{.*}}) mask
  %1 = tts.load %p[%o] strides [%n, 1] wrap [0] from (%o) size (%n) bounds [0, 1] from (%o, %o) to (%n, %n) mask %m : tensor<8x4xi1> other %t : tensor<8x4xf32> : !tt.ptr<f32> -> tensor<8x4xf32>
  // CHECK: tts.load %{{.*}}[%{{.*}}] strides [%{{.*}}, 1] gather [0] by(%{{.*}} : tensor<8xi64>) {cache = "cg", is_volatile} :
  %2 = tts.load %p[%o] strides [%n, 1] gather [0] by (%x : tensor<8xi64>) {cache = "cg", is_volatile} : !tt.ptr<f32> -> tensor<8x4xf32>
  // CHECK: tts.store %{{.*}} to %{{.*}}[%{{.*}}] strides [0, -1] :
  tts.store %t to %p[%o] strides [0, -1] : tensor<8x4xf32>, !tt.ptr<f32>
  // CHECK: tts.gather %{{.*}}[%{{.*}}] : memref<*xi32>, tensor<8xi64> -> tensor<8xi32>
  %3 = tts.gather %q[%x] : memref<*xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK: tts.scatter %{{.*}} to %{{.*}}[%{{.*}}] : tensor<8xi32>, memref<*xi32>, tensor<8xi64>
  tts.scatter %b to %q[%x] : tensor<8xi32>, memref<*xi32>, tensor<8xi64>
  // CHECK: tts.atomic_rmw add acq_rel gpu %{{.*}} at %{{.*}}[%{{.*}}] : tensor<8xi32>, memref<*xi32>, tensor<8xi64>
  %4 = tts.atomic_rmw add acq_rel gpu %b at %q[%x] : tensor<8xi32>, memref<*xi32>, tensor<8xi64>
  // CHECK: tts.atomic_cas acquire sys %{{.*}}, %{{.*}} at %{{.*}}[%{{.*}}] : f32, !tt.ptr<f32>, i64
  %5 = tts.atomic_cas acquire sys %f, %f at %p[%o] : f32, !tt.ptr<f32>, i64
  // CHECK: tts.atomic_poll relaxed cta %{{.*}} at %{{.*}}[%{{.*}}] timeout %{{.*}} : f32, !tt.ptr<f32>
  %6 = tts.atomic_poll relaxed cta %f at %p[%o] timeout %n : f32, !tt.ptr<f32>
  // CHECK: tts.to_address
  // CHECK: tts.from_address
  %7 = tts.to_address %p : !tt.ptr<f32>
  %8 = tts.from_address %7 : memref<*xf32>
  // CHECK: tts.print " x: " {hex = false, is_signed = array<i32: 1>} : %{{.*}} : tensor<8xi32>
  tts.print " x: " {hex = false, is_signed = array<i32: 1>} : %b : tensor<8xi32>
  // CHECK: tts.assert %{{.*}}, "must hold" : i1
  tts.assert %c, "must hold" : i1
  // CHECK: tts.note "{}", %{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32>
  tts.note "{}", %b, %b : tensor<8xi32>, tensor<8xi32>
  // CHECK: tts.scan %{{.*}}, %{{.*}} axis 1 reverse : (tensor<8x4xf32>, tensor<8x4xi1>) -> (tensor<8x4xf32>, tensor<8x4xi1>) {
  // CHECK:   tts.yield %{{.*}}, %{{.*}} : f32, i1
  %9:2 = tts.scan %t, %m axis 1 reverse : (tensor<8x4xf32>, tensor<8x4xi1>) -> (tensor<8x4xf32>, tensor<8x4xi1>) {
  ^bb0(%sum: f32, %any: i1, %next: f32, %is: i1):
    %10 = arith.addf %sum, %next : f32
    %11 = arith.ori %any, %is : i1
    tts.yield %10, %11 : f32, i1
  }
  // CHECK: tts.scan %{{.*}} axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  %12 = tts.scan %b axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%first: i32, %second: i32):
    tts.yield %first : i32
  }
  // CHECK: tts.histogram %{{.*}} : tensor<8xi32> -> tensor<4xi32>
  %13 = tts.histogram %b : tensor<8xi32> -> tensor<4xi32>
  // CHECK: tts.histogram %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8xi32> -> tensor<4xi64>
  %14 = arith.cmpi eq, %b, %b : tensor<8xi32>
  %15 = tts.histogram %b mask %14 : tensor<8xi1> : tensor<8xi32> -> tensor<4xi64>
  return
}
