// A program that asks once whether its tiles are boxes: one more warp copies where they are.
// RUN: triton-shared-opt %s --cta-specialize-warps --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// Both ask. Where a program comes to boxes in some turns alone, nobody copies for others: there the loop keeps its loads.
// CHECK-LABEL: func.func @tiles(
// CHECK: cta.specialize producer {
// CHECK: %[[ALL:.*]] = cta.all_turns
// CHECK: scf.if %[[ALL]] {
// CHECK-COUNT-2: cta.copy_box
// CHECK-NOT: cta.copy_box
// CHECK: } consumers {
// CHECK: %[[ALL:.*]] = cta.all_turns
// CHECK: scf.if %[[ALL]] {
// CHECK: cta.wait_mbarrier
// CHECK: } else {
// CHECK-NOT: cta.wait_mbarrier
// CHECK: tts.load
// CHECK: return
func.func @tiles(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant 0 : i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  %all = cta.all_turns from %px to %n step %one : i32 {
  ^bb0(%tile: i32):
    %holds = arith.cmpi slt, %tile, %m : i32
    cta.yield %holds : i1
  }
  scf.if %all {
    scf.for %tile = %px to %n step %one : i32 {
      %row32 = arith.muli %tile, %c64 : i32
      %row = arith.extsi %row32 : i32 to i64
      %row_low = arith.subi %none, %row : i64
      %row_high = arith.subi %rows, %row : i64
      %row_at = arith.muli %row, %stride : i64
      %r = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
        %at32 = arith.muli %t, %c32 : i32
        %at = arith.extsi %at32 : i32 to i64
        %low = arith.subi %none, %at : i64
        %high = arith.subi %depth, %at : i64
        %a_at = arith.addi %row_at, %at : i64
        %b_at = arith.muli %at, %stride : i64
        %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
        %b = tts.load %y[%b_at] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
        %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
        scf.yield %d : tensor<64x32xf32, #c>
      }
      tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
    }
  } else {
    scf.for %tile = %px to %n step %one : i32 {
      %row32 = arith.muli %tile, %c64 : i32
      %row = arith.extsi %row32 : i32 to i64
      %row_low = arith.subi %none, %row : i64
      %row_high = arith.subi %rows, %row : i64
      %row_at = arith.muli %row, %stride : i64
      %inside = arith.cmpi slt, %tile, %m : i32
      %r = scf.if %inside -> (tensor<64x32xf32, #c>) {
        %boxes = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
          %at32 = arith.muli %t, %c32 : i32
          %at = arith.extsi %at32 : i32 to i64
          %low = arith.subi %none, %at : i64
          %high = arith.subi %depth, %at : i64
          %a_at = arith.addi %row_at, %at : i64
          %b_at = arith.muli %at, %stride : i64
          %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
          %b = tts.load %y[%b_at] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
          %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
          scf.yield %d : tensor<64x32xf32, #c>
        }
        scf.yield %boxes : tensor<64x32xf32, #c>
      } else {
        %others = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
          %at32 = arith.muli %t, %c32 : i32
          %at = arith.extsi %at32 : i32 to i64
          %a_at = arith.addi %row_at, %at : i64
          %b_at = arith.muli %at, %stride : i64
          %a = tts.load %x[%a_at] strides [%stride, 1] wrap [0] from(%row) size(%rows) : memref<*xf16> -> tensor<64x32xf16, #a>
          %b = tts.load %y[%b_at] strides [%stride, 1] : memref<*xf16> -> tensor<32x32xf16, #b>
          %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
          scf.yield %d : tensor<64x32xf32, #c>
        }
        scf.yield %others : tensor<64x32xf32, #c>
      } {cta.guard}
      tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
    }
  }
  return
}

// Where nobody copies for others, the loop that asks in each turn is enough.
// CHECK-LABEL: func.func @no_product(
// CHECK-NOT: cta.all_turns
// CHECK: scf.for
// CHECK: arith.muli
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_product(%m: i32, %n: i32, %o: memref<*xi32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %all = cta.all_turns from %px to %n step %one : i32 {
  ^bb0(%tile: i32):
    %holds = arith.cmpi slt, %tile, %m : i32
    cta.yield %holds : i1
  }
  scf.if %all {
    scf.for %tile = %px to %n step %one : i32 {
      tts.store %one to %o[%none] strides [] : i32, memref<*xi32>
    }
  } else {
    scf.for %tile = %px to %n step %one : i32 {
      %square = arith.muli %tile, %tile : i32
      tts.store %square to %o[%none] strides [] : i32, memref<*xi32>
    }
  }
  return
}
