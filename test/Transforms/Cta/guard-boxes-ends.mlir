// RUN: triton-shared-opt %s --cta-guard-boxes | FileCheck %s
// RUN: triton-shared-opt %s --cta-guard-boxes=assumes-maps=true | FileCheck %s --check-prefix=ASSUMED

// Rows are taken modulo their number, so that a block may reach beyond the last.

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// All stores end with the rows: what is beyond may be anything. Then nothing
// but tensor maps is asked for, and nothing at all where they are there.
// CHECK-LABEL: func.func @stores_end(
// CHECK: %[[HAS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[HAS]]
// ASSUMED-LABEL: func.func @stores_end(
// ASSUMED-NOT: missing
// ASSUMED-SAME: cta.assumes_maps
// ASSUMED-NOT: scf.if
// ASSUMED: tts.load {{.*}} bounds [0, 1] {{.*}}tts.map_is_checked
// ASSUMED: tts.load {{.*}}tts.map_is_checked
func.func @stores_end(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64 {tt.divisibility = 8 : i32}, %h: memref<*xf16>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %height = arith.constant 64 : i64
  %px64 = arith.extsi %px : i32 to i64
  %row = arith.muli %px64, %height : i64
  %rows = arith.extsi %m : i32 to i64
  %negative = arith.subi %none, %rows : i64
  %size = arith.maxsi %rows, %negative : i64
  %columns = arith.extsi %n : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] wrap [0] from(%row) size(%size) bounds [1] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %columns) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  %rest = arith.subi %rows, %row : i64
  %two = arith.addf %r#0, %r#0 : tensor<64x16xf32, #c>
  %less = arith.truncf %two : tensor<64x16xf32, #c> to tensor<64x16xf16, #c>
  tts.store %less to %h[%none] strides [16, 1] bounds [0] from(%none) to(%rest) : tensor<64x16xf16, #c>, memref<*xf16>
  return
}

// A store that ends elsewhere lets such rows through.
// CHECK-LABEL: func.func @stores_end_later(
// CHECK: arith.cmpi sle
// CHECK: scf.if
// ASSUMED-LABEL: func.func @stores_end_later(
// ASSUMED-NOT: cta.assumes_maps
// ASSUMED: arith.cmpi sle
// ASSUMED: scf.if
func.func @stores_end_later(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %b: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %sa: i64 {tt.divisibility = 8 : i32}, %sb: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %height = arith.constant 64 : i64
  %px64 = arith.extsi %px : i32 to i64
  %row = arith.muli %px64, %height : i64
  %rows = arith.extsi %m : i32 to i64
  %negative = arith.subi %none, %rows : i64
  %size = arith.maxsi %rows, %negative : i64
  %columns = arith.extsi %n : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %down = arith.muli %sb, %width : i64
  %r:3 = scf.for %t = %first to %k step %step iter_args(%sum = %sums, %at_a = %none, %at_b = %none) -> (tensor<64x16xf32, #c>, i64, i64) : i32 {
    %begin = arith.extsi %t : i32 to i64
    %high = arith.subi %depth, %begin : i64
    %x = tts.load %a[%at_a] strides [%sa, 1] wrap [0] from(%row) size(%size) bounds [1] from(%none) to(%high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %y = tts.load %b[%at_b] strides [%sb, 1] bounds [0, 1] from(%none, %none) to(%high, %columns) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #columns>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next_a = arith.addi %at_a, %width : i64
    %next_b = arith.addi %at_b, %down : i64
    scf.yield %d, %next_a, %next_b : tensor<64x16xf32, #c>, i64, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] bounds [0] from(%none) to(%rows) : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
