// What holds in all turns of a loop: the lanes of a warp share them, and vote.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @all(
// CHECK-SAME: %[[P:[a-z0-9]*]]: {{[^,]*}}, %[[FIRST:[a-z0-9]*]]: i32, %[[END:[a-z0-9]*]]: i32, %[[WIDTH:[a-z0-9]*]]: i32
// CHECK: %[[STEP:.*]] = arith.extsi %c8_i32 : i32 to i64
// CHECK: %[[LANE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[OWN:.*]] = arith.muli %[[LANE]], %[[STEP]] : i64
// CHECK: %[[FROM:.*]] = arith.extsi %[[FIRST]] : i32 to i64
// CHECK: %[[BEGIN:.*]] = arith.addi %[[FROM]], %[[OWN]] : i64
// CHECK: %[[STRIDE:.*]] = arith.muli %[[STEP]], %c32_i64 : i64
// CHECK: %[[TO:.*]] = arith.extsi %[[END]] : i32 to i64
// CHECK: %[[HOLDS:.*]] = scf.for %[[TURN64:.*]] = %[[BEGIN]] to %[[TO]] step %[[STRIDE]] iter_args(%[[SO_FAR:.*]] = %true) -> (i1) : i64 {
// CHECK-NEXT: %[[TURN:.*]] = arith.trunci %[[TURN64]] : i64 to i32
// CHECK-NEXT: %[[ROW:.*]] = arith.divsi %[[TURN]], %[[WIDTH]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %[[WIDTH]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[SO_FAR]], %[[INSIDE]]
// CHECK-NEXT: scf.yield %[[BOTH]] : i1
// CHECK: %[[ALL:.*]] = nvvm.vote.sync all %{{.*}}, %[[HOLDS]] -> i1
// CHECK: scf.if %[[ALL]]
func.func @all(%p: memref<*xi32>, %first: i32, %end: i32, %width: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  %step = arith.constant 8 : i32
  %none = arith.constant 0 : i64
  %all = cta.all_turns from %first to %end step %step : i32 {
  ^bb0(%turn: i32):
    %row = arith.divsi %turn, %width : i32
    %inside = arith.cmpi slt, %row, %width : i32
    cta.yield %inside : i1
  }
  scf.if %all {
    tts.store %width to %p[%none] strides [] : i32, memref<*xi32>
  }
  return
}
