// RUN: triton-shared-opt %s --guard-integers | FileCheck %s

// Signed: zero and minus one are taken out; x / 0 is -1, x / -1 is -x.
// CHECK-LABEL: func.func @signed(
// CHECK-SAME:    %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[B]], %c0_i32
// CHECK:         %[[MINUS_ONE:.*]] = arith.cmpi eq, %[[B]], %c-1_i32
// CHECK:         %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[MINUS_ONE]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[TRAPS]], %c1_i32{{.*}}, %[[B]]
// CHECK:         %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]]
// CHECK:         %[[NEGATED:.*]] = arith.subi %c0_i32{{.*}}, %[[A]]
// CHECK:         %[[R:.*]] = arith.select %[[MINUS_ONE]], %[[NEGATED]], %[[Q]]
// CHECK:         arith.select %[[ZERO]], %c-1_i32{{.*}}, %[[R]]
func.func @signed(%a: i32, %b: i32) -> i32 {
  %0 = arith.divsi %a, %b : i32
  return %0 : i32
}

// Unsigned: x % 0 is x.
// CHECK-LABEL: func.func @unsigned_remainder(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %arg1
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %arg1
// CHECK:         %[[R:.*]] = arith.remui %arg0, %[[SAFE]]
// CHECK:         arith.select %[[ZERO]], %arg0, %[[R]]
func.func @unsigned_remainder(%a: i64, %b: i64) -> i64 {
  %0 = arith.remui %a, %b : i64
  return %0 : i64
}

// Constants other than zero (and minus one) cannot trap.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT:     arith.select
// CHECK:         arith.divsi
func.func @constant(%a: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.divsi %a, %c : i32
  return %0 : i32
}

// A shift beyond the width leaves zero.
// CHECK-LABEL: func.func @shift(
// CHECK:         %[[LAST:.*]] = arith.constant 31 : i32
// CHECK:         %[[LEAVES:.*]] = arith.cmpi ugt, %arg1, %[[LAST]]
// CHECK:         %[[SHIFTED:.*]] = arith.shli %arg0, %arg1
// CHECK:         arith.select %[[LEAVES]], %c0_i32{{.*}}, %[[SHIFTED]]
func.func @shift(%a: i32, %b: i32) -> i32 {
  %0 = arith.shli %a, %b : i32
  return %0 : i32
}

// One that keeps the sign leaves that.
// CHECK-LABEL: func.func @signed_shift(
// CHECK:         %[[WITHIN:.*]] = arith.minui %arg1, %{{.*}} : i8
// CHECK:         %[[SHIFTED:.*]] = arith.shrsi %arg0, %[[WITHIN]]
// CHECK-NEXT:    return %[[SHIFTED]]
func.func @signed_shift(%a: i8, %b: i8) -> i8 {
  %0 = arith.shrsi %a, %b : i8
  return %0 : i8
}

// By a constant within the width, nothing is to be done.
// CHECK-LABEL: func.func @constant_shift(
// CHECK:         %[[SEVEN:.*]] = arith.constant 7
// CHECK-NEXT:    arith.shrui %arg0, %[[SEVEN]]
// CHECK-NEXT:    return
func.func @constant_shift(%a: i8) -> i8 {
  %c7 = arith.constant 7 : i8
  %0 = arith.shrui %a, %c7 : i8
  return %0 : i8
}

// A GPU wraps around where a CPU traps, and gives no fixed value for zero. What
// is a size for an access is not zero.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @on_a_gpu(
  // CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %arg1, %c0_i32
  // CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %c1_i32{{.*}}, %arg1
  // CHECK-NEXT:    %[[Q:.*]] = arith.divsi %arg0, %[[SAFE]]
  // CHECK-NEXT:    %[[R:.*]] = arith.select %[[ZERO]], %c-1_i32{{.*}}, %[[Q]]
  // CHECK-NEXT:    arith.remui %[[R]], %arg1 {tts.size_as_divisor}
  // CHECK-NEXT:    gpu.return
  gpu.func @on_a_gpu(%a: i32, %b: i32) -> i32 {
    %0 = arith.divsi %a, %b : i32
    %1 = arith.remui %0, %b {tts.size_as_divisor} : i32
    gpu.return %1 : i32
  }
}
