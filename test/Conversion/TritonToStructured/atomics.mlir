// RUN: triton-shared-opt %s --triton-pointers-to-structured --canonicalize | FileCheck %s

// Order and scope are kept, the mask too.
// CHECK-LABEL: tt.func @update(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[O:.*]]: i64, %[[X:.*]]: i32, %[[M:.*]]: i1)
// CHECK:         tts.atomic_rmw umax acquire cta %[[X]] at %[[P]][%[[O]]] mask %[[M]] : i1
tt.func @update(%p: !tt.ptr<i32>, %o: i64, %x: i32, %m: i1) -> i32 {
  %a = tt.addptr %p, %o : !tt.ptr<i32>, i64
  %v = tt.atomic_rmw umax, acquire, cta, %a, %x, %m : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return %v : i32
}

// CHECK-LABEL: tt.func @update_block(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[O:.*]]: tensor<4xi64>, %[[X:.*]]: tensor<4xf32>)
// CHECK:         tts.atomic_rmw fadd relaxed sys %[[X]] at %[[P]][%[[O]]] : tensor<4xf32>
tt.func @update_block(%p: !tt.ptr<f32>, %o: tensor<4xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %a = tt.addptr %s, %o : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
  %v = tt.atomic_rmw fadd, relaxed, sys, %a, %x : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>
  tt.return %v : tensor<4xf32>
}

// CHECK-LABEL: tt.func @compare_and_swap(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         tts.atomic_cas acq_rel gpu %[[X]], %[[Y]] at %[[P]][%{{.*}}] : i32
tt.func @compare_and_swap(%p: !tt.ptr<i32>, %x: i32, %y: i32) -> i32 {
  %v = tt.atomic_cas acq_rel, gpu, %p, %x, %y : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return %v : i32
}

// To read atomically is to update without changing a bit: of a float, as an
// integer.
// CHECK-LABEL: tt.func @read(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>)
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[A:.*]] = tts.to_address %[[P]]
// CHECK:         %[[B:.*]] = tts.from_address %[[A]] : !tt.ptr<i32>
// CHECK:         %[[V:.*]] = tts.atomic_rmw or acquire gpu %[[ZERO]] at %[[B]]
// CHECK:         arith.bitcast %[[V]] : i32 to f32
tt.func @read(%p: !tt.ptr<f32>) -> f32 {
  %v = tt.atomic_load acquire, gpu, %p : (!tt.ptr<f32>) -> f32
  tt.return %v : f32
}

// To write atomically is to exchange.
// CHECK-LABEL: tt.func @write(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32)
// CHECK:         tts.atomic_rmw exchange release gpu %[[X]] at %[[P]]
tt.func @write(%p: !tt.ptr<f32>, %x: f32) {
  tt.atomic_store release, gpu, %p, %x : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func @poll(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[X:.*]]: i32, %[[T:.*]]: i64)
// CHECK:         tts.atomic_poll acquire gpu %[[X]] at %[[P]][%{{.*}}] timeout %[[T]]
tt.func @poll(%p: !tt.ptr<i32>, %x: i32, %t: i64) -> i1 {
  %v = tt.atomic_poll acquire, gpu, %p, %x timeout %t : !tt.ptr<i32>, i32 -> i1
  tt.return %v : i1
}
