// RUN: triton-shared-opt %s --cta-spread-rows --canonicalize | FileCheck %s

// Each lane stores its part of what rows were reduced to.

#x = #cta.layout<register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[4, 0]]>
#all = #cta.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[4]]>
#one = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[]]>
// CHECK: #[[X:.*]] = #cta.layout<register = {{\[\[1, 0\], \[2, 0\]\]}}
// CHECK: #[[PART:.*]] = #cta.layout<register = [], lane = {{\[\[1\], \[2\], \[0\], \[0\], \[0\]\]}}, warp = {{\[\[4\]\]}}>

// Arithmetic with what is made of numbers, and with what is loaded.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[SUM:.*]] = cta.reduce %arg0 axis 1 spread {{.*}} -> tensor<8xf32, #[[PART]]>
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[SUM]], %{{.*}} : tensor<8xf32, #[[PART]]>
// CHECK:         %[[BIAS:.*]] = tts.load %arg2[%arg3] strides [1] : memref<*xf32> -> tensor<8xf32, #[[PART]]>
// CHECK:         %[[ALL:.*]] = arith.addf %[[SCALED]], %[[BIAS]] : tensor<8xf32, #[[PART]]>
// CHECK:         tts.store %[[ALL]] to %arg1[%arg3] strides [1] : tensor<8xf32, #[[PART]]>
func.func @rows(%x: tensor<8x32xf32, #x>, %p: memref<*xf32>, %b: memref<*xf32>, %o: i64) attributes {cta.num_warps = 2 : i32} {
  %two = arith.constant dense<2.0> : tensor<8xf32, #all>
  %s = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    cta.yield %t : f32
  }
  %scaled = arith.mulf %s, %two : tensor<8xf32, #all>
  %bias = tts.load %b[%o] strides [1] : memref<*xf32> -> tensor<8xf32, #all>
  %y = arith.addf %scaled, %bias : tensor<8xf32, #all>
  tts.store %y to %p[%o] strides [1] : tensor<8xf32, #all>, memref<*xf32>
  return
}

// A sum over turns, and an update of memory with its mask.
// CHECK-LABEL: func.func @turns(
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32, #[[PART]]>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<8xf32, #[[PART]]>)
// CHECK:           cta.reduce %arg0 axis 1 spread
// CHECK:         tts.atomic_rmw fadd relaxed gpu %[[SUM]] at %arg1[%{{.*}}] mask %{{.*}} : tensor<8xi1, #[[PART]]> : tensor<8xf32, #[[PART]]>
func.func @turns(%x: tensor<8x32xf32, #x>, %p: memref<*xf32>, %n: i64) attributes {cta.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8xf32, #all>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<8xf32, #all>) : i64 {
    %s = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
    ^bb0(%l: f32, %r: f32):
      %t = arith.addf %l, %r : f32
      cta.yield %t : f32
    }
    %next = arith.addf %a, %s : tensor<8xf32, #all>
    scf.yield %next : tensor<8xf32, #all>
  }
  %at = cta.iota 0 : tensor<8xindex, #all>
  %places = arith.index_cast %at : tensor<8xindex, #all> to tensor<8xi64, #all>
  %end = cta.splat %n : tensor<8xi64, #all>
  %mask = arith.cmpi slt, %places, %end : tensor<8xi64, #all>
  %old = tts.atomic_rmw fadd relaxed gpu %sum at %p[%places] mask %mask : tensor<8xi1, #all> : tensor<8xf32, #all>, memref<*xf32>, tensor<8xi64, #all>
  return
}

// Rows that are stored and reduced further: one number, which all lanes have.
// CHECK-LABEL: func.func @rows_and_all(
// CHECK:         %[[ROWS:.*]] = cta.reduce %arg0 axis 1 spread {{.*}} -> tensor<8xf32, #[[PART]]>
// CHECK:         tts.store %[[ROWS]] to %arg1[%arg2] strides [1] : tensor<8xf32, #[[PART]]>
// CHECK:         %[[MOST:.*]] = cta.reduce %[[ROWS]] axis 0 : (tensor<8xf32, #[[PART]]>) -> tensor<f32, #{{.*}}>
// CHECK:         cta.extract %[[MOST]][]
func.func @rows_and_all(%x: tensor<8x32xf32, #x>, %p: memref<*xf32>, %o: i64) -> f32 attributes {cta.num_warps = 2 : i32} {
  %rows = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %m = arith.maximumf %l, %r : f32
    cta.yield %m : f32
  }
  tts.store %rows to %p[%o] strides [1] : tensor<8xf32, #all>, memref<*xf32>
  %most = cta.reduce %rows axis 0 : (tensor<8xf32, #all>) -> tensor<f32, #one> {
  ^bb0(%l: f32, %r: f32):
    %m = arith.maximumf %l, %r : f32
    cta.yield %m : f32
  }
  %number = cta.extract %most[] : tensor<f32, #one>
  return %number : f32
}

// All lanes want the largest one of their rows; old values; what is combined in order.
// CHECK-LABEL: func.func @all_want_it(
// CHECK-NOT:     spread
// CHECK:         return
func.func @all_want_it(%x: tensor<8x32xf32, #x>, %p: memref<*xf32>, %q: memref<*xf32>, %o: i64) -> (tensor<8x1xf32, #cta.layout<register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[4, 0]]>>, tensor<8xf32, #all>) attributes {cta.num_warps = 2 : i32} {
  %m = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.maximumf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %m to %p[%o] strides [1] : tensor<8xf32, #all>, memref<*xf32>
  %column = cta.reshape %m : tensor<8xf32, #all> -> tensor<8x1xf32, #cta.layout<register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[4, 0]]>>
  %s = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    cta.yield %t : f32
  }
  %at = cta.iota 0 : tensor<8xindex, #all>
  %places = arith.index_cast %at : tensor<8xindex, #all> to tensor<8xi64, #all>
  %old = tts.atomic_rmw fadd relaxed gpu %s at %q[%places] : tensor<8xf32, #all>, memref<*xf32>, tensor<8xi64, #all>
  %d = cta.reduce %x axis 1 : (tensor<8x32xf32, #x>) -> tensor<8xf32, #all> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.subf %l, %r : f32
    cta.yield %t : f32
  }
  tts.store %d to %p[%o] strides [1] : tensor<8xf32, #all>, memref<*xf32>
  return %column, %old : tensor<8x1xf32, #cta.layout<register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[4, 0]]>>, tensor<8xf32, #all>
}

// A lane holds eight neighbours, which it stores at once: no better spread over two lanes.
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[2, 0]]>
#column = #cta.layout<register = [[1], [2], [4]], lane = [[0], [8], [16], [32], [64]], warp = [[0]]>
// CHECK-LABEL: func.func @neighbours(
// CHECK-NOT:     spread
// CHECK:         return
func.func @neighbours(%x: tensor<4x128xf16, #columns>, %p: memref<*xf16>, %o: i64) attributes {cta.num_warps = 2 : i32} {
  %m = cta.reduce %x axis 0 : (tensor<4x128xf16, #columns>) -> tensor<128xf16, #column> {
  ^bb0(%l: f16, %r: f16):
    %t = arith.maximumf %l, %r : f16
    cta.yield %t : f16
  }
  tts.store %m to %p[%o] strides [1] : tensor<128xf16, #column>, memref<*xf16>
  return
}
