// Stores that are a box of a tensor go by the copy engine, from a buffer that has the tile as it was.
// RUN: triton-shared-opt %s --cta-store-boxes --canonicalize --cse | FileCheck %s

#held = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

// CHECK-LABEL: func.func @box(
// CHECK-SAME: %[[MAP:[^:]*]]: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1, arg 2], strides = [arg 3, 1], box = [64, 32], swizzle = 64, outside = zeros>})
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16
// CHECK: cta.write %{{.*}} to %[[BUFFER]][%{{.*}}] fenced : tensor<64x32xf16, #[[HELD:.*]]> to
// CHECK: cta.store_box %[[BUFFER]][%{{.*}}] to %[[MAP]][%{{.*}}, %{{.*}}] dims [0, 1] by [64, 32]
// CHECK-NOT: tts.store
// CHECK: return
func.func @box(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x32xf16, #held>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %height = arith.constant 64 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %row32 = arith.muli %px, %height : i32
  %row = arith.extsi %row32 : i32 to i64
  %low = arith.subi %none, %row : i64
  %high = arith.subi %rows, %row : i64
  %offset = arith.muli %row, %stride : i64
  %moved = cta.convert_layout %tile : tensor<64x32xf16, #held> -> tensor<64x32xf16, #rows>
  tts.store %moved to %o[%offset] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %columns) : tensor<64x32xf16, #rows>, memref<*xf16>
  return
}

// What the kernel also reads is stored by its threads; and there is no copy engine before Hopper.
// CHECK-LABEL: func.func @read_again(
// CHECK-NOT: cta.store_box
// CHECK: tts.store
// CHECK-LABEL: func.func @older(
// CHECK-NOT: cta.store_box
// CHECK: tts.store
func.func @read_again(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %n: i64, %stride: i64 {tt.divisibility = 8 : i32})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %tile = tts.load %o[%none] strides [%stride, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
  tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%m, %n) : tensor<64x32xf16, #rows>, memref<*xf16>
  return
}
func.func @older(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %n: i64, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x32xf16, #rows>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %none = arith.constant 0 : i64
  tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%m, %n) : tensor<64x32xf16, #rows>, memref<*xf16>
  return
}

// In a loop beside a warp that copies, the store of a turn goes on until the next turn writes the buffer, whose place is
// its own; the program ends when the last one has been read.
// CHECK-LABEL: func.func @beside_copies(
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16
// CHECK: cta.specialize producer {
// CHECK: } consumers {
// CHECK: scf.for
// CHECK: cta.wait_stores
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.write %{{.*}} to %[[BUFFER]]
// CHECK: cta.store_box %[[BUFFER]][%{{.*}}] to %{{.*}} dims [0, 1] by [64, 32] goes_on
// CHECK-NEXT: }
// CHECK-NEXT: cta.wait_stores
func.func @beside_copies(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x32xf16, #held>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %height = arith.constant 64 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  cta.specialize producer {
  } consumers {
    scf.for %t = %zero to %m step %one : i32 {
      %row32 = arith.muli %t, %height : i32
      %row = arith.extsi %row32 : i32 to i64
      %low = arith.subi %none, %row : i64
      %high = arith.subi %rows, %row : i64
      %offset = arith.muli %row, %stride : i64
      tts.store %tile to %o[%offset] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %columns) : tensor<64x32xf16, #held>, memref<*xf16>
    }
  }
  return
}

// Two stores of one turn lie beside each other: one wait for the turn before, a buffer each, and both go on.
// CHECK-LABEL: func.func @beside_each_other(
// CHECK: %[[FIRST:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16
// CHECK: %[[SECOND:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16
// CHECK: scf.for
// CHECK: cta.wait_stores
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.write %{{.*}} to %[[FIRST]][%{{.*}}] fenced
// CHECK: cta.store_box %[[FIRST]][%{{.*}}] to %[[MAP:[a-z0-9]*]][%{{.*}}, %{{.*}}] dims [0, 1] by [64, 32] goes_on
// CHECK-NOT: cta.wait_stores
// CHECK: cta.write %{{.*}} to %[[SECOND]][%{{.*}}] fenced
// CHECK: cta.store_box %[[SECOND]][%{{.*}}] to %[[MAP]][%{{.*}}, %{{.*}}] dims [0, 1] by [64, 32] goes_on
// CHECK-NEXT: }
// CHECK-NEXT: cta.wait_stores
func.func @beside_each_other(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x32xf16, #held>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 64 : i32
  %half = arith.constant 32 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  cta.specialize producer {
  } consumers {
    scf.for %t = %zero to %m step %one : i32 {
      %left32 = arith.muli %t, %width : i32
      %left = arith.extsi %left32 : i32 to i64
      %right32 = arith.addi %left32, %half : i32
      %right = arith.extsi %right32 : i32 to i64
      %left_low = arith.subi %none, %left : i64
      %left_high = arith.subi %columns, %left : i64
      %right_low = arith.subi %none, %right : i64
      %right_high = arith.subi %columns, %right : i64
      tts.store %tile to %o[%left] strides [%stride, 1] bounds [0, 1] from(%none, %left_low) to(%rows, %left_high) : tensor<64x32xf16, #held>, memref<*xf16>
      tts.store %tile to %o[%right] strides [%stride, 1] bounds [0, 1] from(%none, %right_low) to(%rows, %right_high) : tensor<64x32xf16, #held>, memref<*xf16>
    }
  }
  return
}

// Boxes that overlap have an order, which the copy engine does not keep: threads store both.
// CHECK-LABEL: func.func @overlapping(
// CHECK-NOT: cta.store_box
// CHECK: tts.store
// CHECK: tts.store
func.func @overlapping(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x32xf16, #held>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %width = arith.constant 64 : i32
  %step = arith.constant 16 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %left32 = arith.muli %px, %width : i32
  %left = arith.extsi %left32 : i32 to i64
  %right32 = arith.addi %left32, %step : i32
  %right = arith.extsi %right32 : i32 to i64
  %left_low = arith.subi %none, %left : i64
  %left_high = arith.subi %columns, %left : i64
  %right_low = arith.subi %none, %right : i64
  %right_high = arith.subi %columns, %right : i64
  tts.store %tile to %o[%left] strides [%stride, 1] bounds [0, 1] from(%none, %left_low) to(%rows, %left_high) : tensor<64x32xf16, #held>, memref<*xf16>
  tts.store %tile to %o[%right] strides [%stride, 1] bounds [0, 1] from(%none, %right_low) to(%rows, %right_high) : tensor<64x32xf16, #held>, memref<*xf16>
  return
}

// In parts, of as many columns as a line of 128 bytes has: a slot is written again when all but the last part have been
// read. What comes after the loop may be in the place of the buffer: all have been read before.
#wide = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: func.func @in_parts(
// CHECK: %[[RING:.*]] = cta.alloc {alignment = 1024 : i64} : <2, 64x64xf16
// CHECK: scf.for
// CHECK: cta.wait_stores
// CHECK-NOT: but
// CHECK-NEXT: gpu.barrier
// CHECK: %[[PART0:.*]] = cta.slice %[[TILE:.*]] [0, 0] : tensor<64x256xf16
// CHECK: cta.write %[[PART0]] to %[[RING]][%c0_i32] fenced
// CHECK: cta.store_box %[[RING]][%c0_i32] to %[[MAP:[a-z0-9]*]][%[[ROW:.*]], %c0_i32] dims [0, 1] by [64, 64] goes_on
// CHECK-NOT: cta.wait_stores
// CHECK: %[[PART1:.*]] = cta.slice %[[TILE]] [0, 64]
// CHECK: cta.write %[[PART1]] to %[[RING]][%c1_i32] fenced
// CHECK: cta.store_box %[[RING]][%c1_i32] to %[[MAP]][%[[ROW]], %c64_i32]
// CHECK: cta.wait_stores but 1
// CHECK-NEXT: gpu.barrier
// CHECK: cta.write %{{.*}} to %[[RING]][%c0_i32] fenced
// CHECK: cta.store_box %[[RING]][%c0_i32] to %[[MAP]][%[[ROW]], %c128_i32]
// CHECK: cta.wait_stores but 1
// CHECK-NEXT: gpu.barrier
// CHECK: cta.write %{{.*}} to %[[RING]][%c1_i32] fenced
// CHECK: cta.store_box %[[RING]][%c1_i32] to %[[MAP]][%[[ROW]], %c192_i32]
// CHECK-NEXT: }
// CHECK-NEXT: cta.wait_stores
// CHECK-NEXT: tts.store
func.func @in_parts(%o: memref<*xf16> {tt.divisibility = 16 : i32}, %done: memref<*xi32>, %m: i32, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %tile: tensor<64x256xf16, #wide>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %height = arith.constant 64 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  cta.specialize producer {
  } consumers {
    scf.for %t = %zero to %m step %one : i32 {
      %row32 = arith.muli %t, %height : i32
      %row = arith.extsi %row32 : i32 to i64
      %low = arith.subi %none, %row : i64
      %high = arith.subi %rows, %row : i64
      %offset = arith.muli %row, %stride : i64
      tts.store %tile to %o[%offset] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %columns) {cta.in_parts} : tensor<64x256xf16, #wide>, memref<*xf16>
    }
    tts.store %m to %done[%none] strides [] : i32, memref<*xi32>
  }
  return
}
