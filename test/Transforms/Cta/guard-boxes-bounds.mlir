// RUN: triton-shared-opt %s --cta-guard-boxes | FileCheck %s
// RUN: triton-shared-opt %s --cta-guard-boxes=assumes-maps=true | FileCheck %s --check-prefix=ASSUMED

// Each program has matrices of its own: where they begin at most, a launch knows.

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// ASSUMED: #[[BOUNDS:.*]] = affine_map<()[s0, s1, s2, s3, s4, s5, s6, s7, s8] -> ((s6 - 1) * s2, s3 - 1, (s6 - 1) * s3 + s3 - 1)>

// Symbols are the parameters, then the sizes of the grid.
// CHECK-LABEL: func.func @batch(
// CHECK: arith.cmpi ult, %{{.*}}, %c1073741824_i64{{.*}} : i64
// CHECK: scf.if
// ASSUMED-LABEL: func.func @batch(
// ASSUMED-SAME: cta.assumes_maps, cta.launch_bounds = #[[BOUNDS]],
// ASSUMED-NOT: scf.if
// ASSUMED: tts.load {{.*}}tts.map_is_checked
// ASSUMED: tts.load {{.*}}tts.map_is_checked
func.func @batch(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %line = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %program = arith.extsi %px : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %matrix_row = arith.muli %program, %rows : i64
  %begin_a = arith.muli %matrix_row, %sa : i64
  %matrix_k = arith.muli %program, %depth : i64
  %begin_b = arith.muli %matrix_k, %line : i64
  %down = arith.muli %line, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %begin_a, %at_b = %begin_b) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %x = tts.load %a[%at_a] strides [%sa, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// A difference may be negative: then the program asks.
// CHECK-LABEL: func.func @backwards(
// CHECK: scf.if
// ASSUMED-LABEL: func.func @backwards(
// ASSUMED-NOT: cta.launch_bounds
// ASSUMED: arith.cmpi ult, %{{.*}}, %c1073741824_i64{{.*}} : i64
// ASSUMED: scf.if
func.func @backwards(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %line = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %last = arith.extsi %k : i32 to i64
  %number = arith.extsi %px : i32 to i64
  %program = arith.subi %last, %number : i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %matrix_row = arith.muli %program, %rows : i64
  %begin_a = arith.muli %matrix_row, %sa : i64
  %matrix_k = arith.muli %program, %depth : i64
  %begin_b = arith.muli %matrix_k, %line : i64
  %down = arith.muli %line, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %begin_a, %at_b = %begin_b) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %x = tts.load %a[%at_a] strides [%sa, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
