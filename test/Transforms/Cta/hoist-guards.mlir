// A program that asks in each turn whether its blocks are boxes asks once for all turns, if numbers say so.
// RUN: triton-shared-opt %s --cta-hoist-guards | FileCheck %s

// The condition is that of both guards. The first loop has what they guard, the second one is as it was.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[FIRST:[a-z0-9]*]]: i32, %[[TILES:[a-z0-9]*]]: i32, %[[WIDTH:[a-z0-9]*]]: i32, %[[M:[a-z0-9]*]]: i32, %[[MISSING:[a-z0-9]*]]: i32
// CHECK: %[[ALL:.*]] = cta.all_turns from %[[FIRST]] to %[[TILES]] step %c8_i32 : i32 {
// CHECK-NEXT: ^bb0(%[[TURN:.*]]: i32):
// CHECK-NEXT: %[[ROW:.*]] = arith.divsi %[[TURN]], %[[WIDTH]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %[[M]]
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[ROW]], %[[WIDTH]]
// CHECK-NEXT: %[[NEAR:.*]] = arith.cmpi slt, %[[LAST]], %[[MISSING]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[NEAR]]
// CHECK-NEXT: cta.yield %[[BOTH]] : i1
// CHECK: scf.if %[[ALL]] -> (i32) {
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[TILES]] step %c8_i32 iter_args(%[[SUM:.*]] = %c0_i32)
// CHECK-NOT: scf.if
// CHECK: %[[BOX:.*]] = arith.addi %[[SUM]], %c1_i32
// CHECK: %[[STORED:.*]] = arith.muli %[[BOX]], %c8_i32
// CHECK: scf.yield %[[STORED]]
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.if
// CHECK: {cta.guard}
// CHECK: {cta.guard}
func.func @tiles(%first: i32, %tiles: i32, %width: i32, %m: i32, %missing: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %step = arith.constant 8 : i32
  %r = scf.for %tile = %first to %tiles step %step iter_args(%sum = %zero) -> (i32) : i32 {
    %row = arith.divsi %tile, %width : i32
    %inside = arith.cmpi slt, %row, %m : i32
    %t = scf.if %inside -> (i32) {
      %last = arith.addi %row, %width : i32
      %near = arith.cmpi slt, %last, %missing : i32
      %u = scf.if %near -> (i32) {
        %box = arith.addi %sum, %one : i32
        scf.yield %box : i32
      } else {
        %rows = arith.addi %sum, %two : i32
        scf.yield %rows : i32
      } {cta.guard}
      scf.yield %u : i32
    } else {
      %gathered = arith.addi %sum, %three : i32
      scf.yield %gathered : i32
    } {cta.guard}
    %stored = arith.muli %t, %step : i32
    scf.yield %stored : i32
  }
  return %r : i32
}

// A loop without results.
// CHECK-LABEL: func.func @stores(
// CHECK: %[[ALL:.*]] = cta.all_turns
// CHECK: scf.if %[[ALL]] {
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.if
func.func @stores(%first: i32, %tiles: i32, %m: i32, %p: memref<*xi32>) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant 0 : i64
  scf.for %tile = %first to %tiles step %one : i32 {
    %inside = arith.cmpi slt, %tile, %m : i32
    scf.if %inside {
      tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
    } else {
      tts.store %two to %p[%none] strides [] : i32, memref<*xi32>
    } {cta.guard}
  }
  return
}

// What is read from memory, what a turn leaves to the next one, and divisions that a guard keeps from zero are no
// numbers of a turn; branches of the kernel's own, loops within others, and indices that are no i32 stay.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: cta.all_turns
// CHECK: return
func.func @stays(%first: i32, %tiles: i32, %m: i32, %p: memref<*xi32>, %from: index, %to: index) {
  %one = arith.constant 1 : i32
  %step = arith.constant 1 : index
  %none = arith.constant 0 : i64
  scf.for %tile = %first to %tiles step %one : i32 {
    %read = tts.load %p[%none] strides [] : memref<*xi32> -> i32
    %inside = arith.cmpi slt, %tile, %read : i32
    scf.if %inside {
      tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
    } else {
    } {cta.guard}
  }
  %r = scf.for %tile = %first to %tiles step %one iter_args(%sum = %m) -> (i32) : i32 {
    %inside = arith.cmpi slt, %sum, %m : i32
    scf.if %inside {
      tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
    } else {
    } {cta.guard}
    %next = arith.addi %sum, %tile : i32
    scf.yield %next : i32
  }
  scf.for %tile = %first to %tiles step %one : i32 {
    %inside = arith.cmpi ne, %tile, %m : i32
    scf.if %inside {
      %apart = arith.subi %tile, %m : i32
      %part = arith.divsi %m, %apart : i32
      %near = arith.cmpi slt, %part, %m : i32
      scf.if %near {
        tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
      } else {
      } {cta.guard}
    } else {
    } {cta.guard}
  }
  scf.for %tile = %first to %tiles step %one : i32 {
    %inside = arith.cmpi slt, %tile, %m : i32
    scf.if %inside {
      tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
    } else {
    }
  }
  scf.for %i = %from to %to step %step {
    scf.for %tile = %first to %tiles step %one : i32 {
      %inside = arith.cmpi slt, %tile, %m : i32
      scf.if %inside {
        tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
      } else {
      } {cta.guard}
    }
  }
  scf.for %i = %from to %to step %step {
    %tile = arith.index_cast %i : index to i32
    %inside = arith.cmpi slt, %tile, %m : i32
    scf.if %inside {
      tts.store %one to %p[%none] strides [] : i32, memref<*xi32>
    } else {
    } {cta.guard}
  }
  return
}
