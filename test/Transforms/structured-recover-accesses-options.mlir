// What whoever lowers accesses otherwise may leave out.

// RUN: triton-shared-opt %s --structured-recover-accesses | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: triton-shared-opt %s --structured-recover-accesses=wraps=false | FileCheck %s --check-prefixes=CHECK,LISTS
// RUN: triton-shared-opt %s "--structured-recover-accesses=wraps=false gathered-dimensions=false" | FileCheck %s --check-prefixes=CHECK,LINES

// Rows that wrap around are rows by a list of indices, or elements by their offsets.
// CHECK-LABEL: tt.func @rows_wrap_around(
// ALL:           tts.load %{{.*}} strides [%{{.*}}, 1] wrap [0]
// LISTS:         tts.load %{{.*}} strides [%{{.*}}, 1] gather [0]
// LISTS-NOT:     wrap
// LINES:         tts.gather
tt.func @rows_wrap_around(%p: !tt.ptr<f32>, %n: i32, %m: i32) -> tensor<8x4xf32> {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ms = tt.splat %m : i32 -> tensor<8xi32>
  %w = arith.remsi %i, %ms : tensor<8xi32>
  %rows = tt.expand_dims %w {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ns = tt.splat %n : i32 -> tensor<8x1xi32>
  %a = arith.muli %rows, %ns : tensor<8x1xi32>
  %ab = tt.broadcast %a : tensor<8x1xi32> -> tensor<8x4xi32>
  %j = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %b = tt.broadcast %columns : tensor<1x4xi32> -> tensor<8x4xi32>
  %o = arith.addi %ab, %b : tensor<8x4xi32>
  %o64 = arith.extsi %o : tensor<8x4xi32> to tensor<8x4xi64>
  %v = tts.gather %p[%o64] : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %v : tensor<8x4xf32>
}

// What has strides has them whatever the options.
// CHECK-LABEL: tt.func @line(
// CHECK:         tts.load %{{.*}} strides [1]
tt.func @line(%p: !tt.ptr<f32>) -> tensor<8xf32> {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %v = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}
