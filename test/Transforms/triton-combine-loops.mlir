// RUN: triton-shared-opt %s --triton-combine --canonicalize | FileCheck %s

// Loops are unrolled as their hint asks.

// Ten iterations, four at a time: two are left.
// CHECK-LABEL: tt.func @constant(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c8{{.*}} step %c4
// CHECK-COUNT-4:   tt.store
// CHECK:         } {tt.num_stages = 2 : i32}
// CHECK:         scf.for %{{.*}} = %c8{{.*}} to %c10{{.*}} step %c1
// CHECK-COUNT-1:   tt.store
// CHECK-NOT:     tt.loop_unroll_factor
tt.func @constant(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  scf.for %i = %c0 to %c10 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 2 : i32}
  tt.return
}

// A loop that may end before it starts is clamped to end where it starts, or
// the rest of the division would run.
// CHECK-LABEL: tt.func @may_be_empty(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[FROM:.*]]: i32, %[[TO:.*]]: i32)
// CHECK:         %[[END:.*]] = arith.maxsi %[[FROM]], %[[TO]] : i32
// CHECK:         arith.subi %[[END]], %[[FROM]] : i32
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]] step
tt.func @may_be_empty(%p: !tt.ptr<i32>, %from: i32, %to: i32) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// Once is as it was.
// CHECK-LABEL: tt.func @once(
// CHECK:         scf.for
// CHECK-COUNT-1:   tt.store
// CHECK-NOT:     tt.loop_unroll_factor
// CHECK:         tt.return
tt.func @once(%p: !tt.ptr<i32>, %from: i32, %to: i32) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}
