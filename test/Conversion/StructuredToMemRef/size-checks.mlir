// RUN: triton-shared-opt %s --structured-to-memref | FileCheck %s

// What accesses rely on to be a size is checked where it is computed; an
// argument, at the start.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    %[[N:[^:]*]]: i32, %[[M:[^:]*]]: i32,
// CHECK:         %[[HOLDS:.*]] = arith.cmpi sge, %[[N]], %{{.*}} : i32
// CHECK:         %[[FAILS:.*]] = arith.xori %[[HOLDS]]
// CHECK:         scf.if %[[FAILS]]
// CHECK:           func.call @tritonSharedAssertFailed
// CHECK:         %[[S:.*]] = arith.muli %[[N]], %[[M]] : i32
// CHECK:         arith.cmpi sge, %[[S]], %{{.*}} : i32
// CHECK:           func.call @tritonSharedAssertFailed
// CHECK:         return %[[S]]
func.func @sizes(%n: i32 {tts.size}, %m: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) -> i32 {
  %s = arith.muli %n, %m {tts.size} : i32
  return %s : i32
}
