// RUN: triton-shared-opt %s --cta-guard-boxes | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>

// Whether strides are multiples of 16 bytes, a launch sees: where they are not,
// it has no tensor map.
// CHECK-LABEL: func.func @any_stride(
// CHECK: scf.if
// CHECK: tts.load {{.*}} {tts.map_is_checked}
// CHECK: tts.load {{.*}} {tts.map_is_checked}
// CHECK: } else {
// CHECK-NOT: tts.map_is_checked
func.func @any_stride(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] bounds [0, 1] from(%none, %none) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// With this one no launch has.
// CHECK-LABEL: func.func @odd_stride(
// CHECK-NOT: scf.if
func.func @odd_stride(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] bounds [0, 1] from(%none, %none) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [20, 1] bounds [0, 1] from(%none, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
