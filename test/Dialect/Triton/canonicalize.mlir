// RUN: triton-shared-opt %s --canonicalize | FileCheck %s

// What folds away without a pass of its own.

// Blocks of one constant are constants, however they are viewed.
// CHECK-LABEL: tt.func @constants(
// CHECK-DAG:     %[[F:.*]] = arith.constant dense<1.500000e+00> : tensor<4x2xf32>
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<true> : tensor<8x1x4xi1>
// CHECK-NEXT:    tt.return %[[F]], %[[B]]
tt.func @constants() -> (tensor<4x2xf32>, tensor<8x1x4xi1>) {
  %x = arith.constant 1.5 : f32
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.reshape %0 : tensor<8xf32> -> tensor<2x4xf32>
  %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
  %true = arith.constant dense<true> : tensor<1x4xi1>
  %3 = tt.broadcast %true : tensor<1x4xi1> -> tensor<8x4xi1>
  %4 = tt.expand_dims %3 {axis = 1 : i32} : tensor<8x4xi1> -> tensor<8x1x4xi1>
  tt.return %2, %4 : tensor<4x2xf32>, tensor<8x1x4xi1>
}

// A range of one number is that number.
// CHECK-LABEL: tt.func @range(
// CHECK-NEXT:    %[[THREE:.*]] = arith.constant dense<3> : tensor<1xi32>
// CHECK-NEXT:    tt.return %[[THREE]]
tt.func @range() -> tensor<1xi32> {
  %0 = tt.make_range {end = 4 : i32, start = 3 : i32} : tensor<1xi32>
  tt.return %0 : tensor<1xi32>
}

// Views that change nothing.
// CHECK-LABEL: tt.func @identities(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[P:.*]]: !tt.ptr<f32>)
// CHECK-NEXT:    tt.return %[[X]], %[[X]], %[[X]], %[[X]], %[[P]]
tt.func @identities(%x: tensor<4x8xf32>, %p: !tt.ptr<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %0 = tt.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tt.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tt.trans %x {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = tt.bitcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = tt.addptr %p, %c0 : !tt.ptr<f32>, i32
  tt.return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, !tt.ptr<f32>
}

// Two views of a kind are one.
// CHECK-LABEL: tt.func @views(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4x8xf32>, %[[Y:.*]]: tensor<1x1xf32>)
// CHECK-NEXT:    %[[T:.*]] = tt.trans %[[X]] {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
// CHECK-NEXT:    %[[R:.*]] = tt.reshape %[[X]] : tensor<2x4x8xf32> -> tensor<64xf32>
// CHECK-NEXT:    %[[B:.*]] = tt.broadcast %[[Y]] : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    tt.return %[[T]], %[[R]], %[[B]]
tt.func @views(%x: tensor<2x4x8xf32>, %y: tensor<1x1xf32>) -> (tensor<8x2x4xf32>, tensor<64xf32>, tensor<4x8xf32>) {
  %0 = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 2, 0>} : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  %2 = tt.reshape %x : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %3 = tt.reshape %2 : tensor<8x8xf32> -> tensor<64xf32>
  %4 = tt.broadcast %y : tensor<1x1xf32> -> tensor<4x1xf32>
  %5 = tt.broadcast %4 : tensor<4x1xf32> -> tensor<4x8xf32>
  tt.return %1, %3, %5 : tensor<8x2x4xf32>, tensor<64xf32>, tensor<4x8xf32>
}

// What was put together comes apart.
// CHECK-LABEL: tt.func @pairs(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %[[P:.*]]: !tt.ptr<f32>)
// CHECK-NEXT:    %[[S:.*]] = tt.splat %[[P]] : !tt.ptr<f32> -> tensor<4x2x!tt.ptr<f32>>
// CHECK-NEXT:    tt.return %[[X]], %[[Y]], %[[P]], %[[S]]
tt.func @pairs(%x: tensor<8xf32>, %y: tensor<8xf32>, %p: !tt.ptr<f32>) -> (tensor<8xf32>, tensor<8xf32>, !tt.ptr<f32>, tensor<4x2x!tt.ptr<f32>>) {
  %0 = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  %3 = tt.splat %p : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %4 = tt.unsplat %3 : tensor<1x!tt.ptr<f32>>
  %5 = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4x!tt.ptr<f32>> -> tensor<4x1x!tt.ptr<f32>>
  %7 = tt.broadcast %6 : tensor<4x1x!tt.ptr<f32>> -> tensor<4x2x!tt.ptr<f32>>
  tt.return %1, %2, %4, %7 : tensor<8xf32>, tensor<8xf32>, !tt.ptr<f32>, tensor<4x2x!tt.ptr<f32>>
}

// What nobody uses goes, unless it does something else as well.
// CHECK-LABEL: tt.func @dead(
// CHECK-NEXT:    tt.load %{{.*}} {isVolatile = true}
// CHECK-NEXT:    tt.elementwise_inline_asm "nop;"
// CHECK-NEXT:    tt.atomic_rmw
// CHECK-NEXT:    tt.return
tt.func @dead(%p: !tt.ptr<i32>, %x: i32, %m: i1) {
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %2 = tt.elementwise_inline_asm "add" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  %3 = tt.elementwise_inline_asm "nop;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  %4 = tt.atomic_rmw add, relaxed, gpu, %p, %x, %m : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}
