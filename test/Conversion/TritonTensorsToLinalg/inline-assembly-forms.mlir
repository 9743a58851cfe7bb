// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// Instructions whose operands and results are more than one register each.

// The carry is a register that one instruction writes and the next one reads.
// CHECK-LABEL: func.func @carry(
// CHECK-SAME:    %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32
// CHECK:         %[[SUM:.*]] = arith.addi %[[X]], %[[Y]] : i32
// CHECK:         %[[CARRY:.*]] = arith.cmpi ult, %[[SUM]], %[[X]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[SUM]], %[[Y]]
// CHECK:         %[[ONE:.*]] = arith.extui %[[CARRY]] : i1 to i32
// CHECK:         %[[RESULT:.*]] = arith.addi %[[NEXT]], %[[ONE]]
// CHECK:         return %[[RESULT]]
tt.func @carry(%x: i32, %y: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .b32 t; add.cc.u32 t, $1, $2; addc.u32 $0, t, $2; }" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y : i32, i32 -> i32
  tt.return %0 : i32
}

// The second predicate is of the opposite answer, and both are combined with a
// third, which may be negated.
// CHECK-LABEL: func.func @two_predicates(
// CHECK-SAME:    %[[X:[^:]*]]: i32
// CHECK:         %[[P:.*]] = arith.cmpi slt, %[[X]], %c0_i32
// CHECK:         arith.constant 7 : i32
// CHECK:         %[[NOT_P:.*]] = arith.xori %[[P]], %true
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[X]], %c7_i32
// CHECK:         %[[IS_NOT:.*]] = arith.xori %[[IS]], %true
// CHECK:         %[[R:.*]] = arith.andi %[[IS_NOT]], %[[NOT_P]]
// CHECK:         arith.select %[[R]], %c1_i32{{[_0-9]*}}, %c2_i32
tt.func @two_predicates(%x: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "{ .reg .pred p, q, r; setp.lt.s32 p, $1, 0; setp.eq.and.s32 q|r, $1, 7, !p; selp.b32 $0, 1, 2, r; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %0 : i32
}

// Each half of a register is a number of its own.
// CHECK-LABEL: func.func @halves(
// CHECK-COUNT-2: arith.maxsi %{{.*}}, %c0_i16{{[_0-9]*}} : i16
// CHECK:         %[[UPPER:.*]] = arith.shli %{{.*}}, %c16_i32
// CHECK:         arith.ori %{{.*}}, %[[UPPER]]
tt.func @halves(%x: i32, %y: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "max.relu.s16x2 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y : i32, i32 -> i32
  tt.return %0 : i32
}

// The n-th bit that is set is in the upper half if the lower one has less, then
// in one of its quarters, to the bit itself; -1 if there are not so many.
// CHECK-LABEL: func.func @nth_set(
// CHECK:         math.absi
// CHECK:         %[[RANK:.*]] = arith.select %{{.*}}, %c0_i32{{[_0-9]*}}, %{{.*}} : i32
// CHECK:         %[[BELOW:.*]] = math.ctpop
// CHECK:         %[[UPPER:.*]] = arith.cmpi uge, %[[RANK]], %[[BELOW]]
// CHECK:         arith.select %[[UPPER]], %[[BELOW]], %c0_i32
// CHECK-COUNT-4: math.ctpop
// CHECK:         %[[COUNT:.*]] = math.ctpop
// CHECK:         %[[THERE:.*]] = arith.cmpi ult, %[[RANK]], %[[COUNT]]
// CHECK:         arith.select %[[THERE]], %{{.*}}, %c-1_i32
tt.func @nth_set(%x: i32, %n: i32) -> i32 {
  %0 = tt.elementwise_inline_asm "fns.b32 $0, $1, 0, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %n : i32, i32 -> i32
  tt.return %0 : i32
}

// What f64 has more than f32 sets the last bit of that; what is cut off then
// goes up by one unit.
// CHECK-LABEL: func.func @rounded_up(
// CHECK:         %[[INEXACT:.*]] = arith.cmpf one
// CHECK:         %[[MARK:.*]] = arith.extui %[[INEXACT]] : i1 to i32
// CHECK:         arith.ori %{{.*}}, %[[MARK]]
// CHECK:         %[[CUT:.*]] = arith.truncf %[[SINGLE:.*]] toward_zero : f32 to f16
// CHECK:         %[[BACK:.*]] = arith.extf %[[CUT]]
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %[[BACK]], %[[SINGLE]]
// CHECK:         %[[UNIT:.*]] = arith.extui %[[BELOW]] : i1 to i16
// CHECK:         arith.addi %{{.*}}, %[[UNIT]] : i16
tt.func @rounded_up(%x: f64) -> f16 {
  %0 = tt.elementwise_inline_asm "cvt.rp.f16.f64 $0, $1;" {constraints = "=h,d", packed_element = 1 : i32, pure = true} %x : f64 -> f16
  tt.return %0 : f16
}

// A number of 8 bits times a power of two is an f32, which is rounded once.
// CHECK-LABEL: func.func @scaled(
// CHECK:         arith.extf %{{.*}} : f8E4M3FN to f16
// CHECK:         %[[NUMBER:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[FACTOR:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %[[NUMBER]], %[[FACTOR]] : f32
// CHECK:         arith.truncf %[[PRODUCT]] : f32 to bf16
tt.func @scaled(%x: i16, %s: i16) -> i32 {
  %0 = tt.elementwise_inline_asm "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 $0, $1, $2;" {constraints = "=r,h,h", packed_element = 1 : i32, pure = true} %x, %s : i16, i16 -> i32
  tt.return %0 : i32
}

// Of three numbers, the sizes.
// CHECK-LABEL: func.func @of_three(
// CHECK:         %[[TWO:.*]] = arith.maximumf
// CHECK:         %[[SIZE:.*]] = math.absf
// CHECK:         arith.maximumf %[[TWO]], %[[SIZE]]
tt.func @of_three(%x: f32, %y: f32) -> f32 {
  %0 = tt.elementwise_inline_asm "max.NaN.abs.f32 $0, $1, $2, 1.0;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> f32
  tt.return %0 : f32
}

// Hints mean nothing, and a result that nobody reads need not be written.
// CHECK-LABEL: func.func @hints(
// CHECK-NEXT:    arith.constant 0 : i32
// CHECK-NEXT:    return
tt.func @hints(%p: i64) {
  %0 = tt.elementwise_inline_asm "prefetch.global.L2 [$1]; fence.proxy.async; griddepcontrol.wait;" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %p : i64 -> i32
  tt.return
}

// A fence stays one.
// CHECK-LABEL: func.func @fence(
// CHECK:         llvm.fence seq_cst
// CHECK:         return %c7_i32
tt.func @fence() -> i32 {
  %0 = tt.elementwise_inline_asm "mov.u32 $0, 7; fence.acq_rel.gpu;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return %0 : i32
}

// 128 bits are only moved.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME:    %[[X:[^:]*]]: i64, %[[Y:[^:]*]]: i64
// CHECK:         %[[HIGH:.*]] = arith.extui %[[Y]] : i64 to i128
// CHECK:         arith.shli %[[HIGH]], %c64_i128
// CHECK:         arith.trunci %{{.*}} : i128 to i64
tt.func @wide(%x: i64, %y: i64) -> i64 {
  %0 = tt.elementwise_inline_asm "{ .reg .b128 t; mov.b128 t, {$1, $2}; mov.b128 {_, $0}, t; }" {constraints = "=l,l,l", packed_element = 1 : i32, pure = true} %x, %y : i64, i64 -> i64
  tt.return %0 : i64
}
