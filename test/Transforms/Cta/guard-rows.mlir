// Rows behind the end of a matrix are taken for its first one. Blocks that have none load row after row.
// RUN: triton-shared-opt %s --cta-guard-rows | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#row = #cta.layout<register = [[32]], lane = [[0], [0], [1], [2], [4]], warp = [[8], [16]]>
#columns = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#narrow = #cta.layout<register = [[4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [16, 0]]>
#column = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// CHECK: #[[WIDE:[a-z0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [1, 0]
// CHECK-LABEL: func.func @cut(
// CHECK-SAME: %{{[a-z0-9]*}}: memref<*xf16> {{[^,]*}}, %{{[a-z0-9]*}}: tensor<{{[^,]*}}, {{[^,]*}}, %[[START:[a-z0-9]*]]: i32, %[[M:[a-z0-9]*]]: i32
// CHECK: %[[FROM:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK: %[[LAST:.*]] = arith.addi %[[FROM]], %c64_i64
// CHECK: %[[END:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK: %[[INSIDE:.*]] = arith.cmpi sle, %[[LAST]], %[[END]] : i64
// CHECK: scf.if %[[INSIDE]]
// CHECK: scf.for
// CHECK: %[[BEGIN:.*]] = arith.muli %{{.*}}, %[[STRIDE:.*]] : i64
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[BEGIN]] : i64
// CHECK: tts.load %{{.*}}[%[[PLACE]]] strides [%[[STRIDE]], 1] bounds [1]
// CHECK: } else {
// CHECK: tts.load %{{.*}} gather [0] by
func.func @cut(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %y: tensor<32x16xf16, #columns>, %start: i32, %m: i32, %k: i64, %stride: i64, %n: i32, %z: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %zeros = arith.constant dense<0> : tensor<64xi32, #row>
  %iota = cta.iota 0 : tensor<64xindex, #row>
  %count = arith.index_cast %iota : tensor<64xindex, #row> to tensor<64xi32, #row>
  %from = cta.splat %start : tensor<64xi32, #row>
  %i = arith.addi %from, %count : tensor<64xi32, #row>
  %end = cta.splat %m : tensor<64xi32, #row>
  %before = arith.cmpi slt, %i, %end : tensor<64xi32, #row>
  %cut = arith.select %before, %i, %zeros : tensor<64xi1, #row>, tensor<64xi32, #row>
  %rows = arith.extsi %cut : tensor<64xi32, #row> to tensor<64xi64, #row>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %z, %at = %none) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %x = tts.load %a[%at] strides [%stride, 1] gather [0] by(%rows : tensor<64xi64, #row>) bounds [1] from(%none) to(%k) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  return %r#0 : tensor<64x16xf32, #c>
}

// Columns that are cut lie side by side where they are not: threads load neighbours at once, as products read the tile
// from shared memory whoever has loaded it.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.if
// CHECK: %[[WHOLE:.*]] = tts.load %{{.*}} bounds [0] {{.*}} -> tensor<32x16xf16, #[[WIDE]]>
// CHECK: cta.dot %{{.*}}, %[[WHOLE]], %{{.*}} : tensor<64x32xf16, #{{.*}}>, tensor<32x16xf16, #[[WIDE]]>
// CHECK: } else {
// CHECK: tts.load %{{.*}} gather [1] by
func.func @columns(%b: memref<*xf16> {tt.divisibility = 16 : i32}, %x: tensor<64x32xf16, #rows>, %start: i32 {tt.divisibility = 16 : i32}, %m: i32, %k: i64, %stride: i64 {tt.divisibility = 16 : i32}, %n: i32, %z: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %fill = arith.constant 0.0 : f16
  %zeros = arith.constant dense<0> : tensor<16xi32, #column>
  %iota = cta.iota 0 : tensor<16xindex, #column>
  %count = arith.index_cast %iota : tensor<16xindex, #column> to tensor<16xi32, #column>
  %from = cta.splat %start : tensor<16xi32, #column>
  %i = arith.addi %from, %count : tensor<16xi32, #column>
  %end = cta.splat %m : tensor<16xi32, #column>
  %before = arith.cmpi slt, %i, %end : tensor<16xi32, #column>
  %cut = arith.select %before, %i, %zeros : tensor<16xi1, #column>, tensor<16xi32, #column>
  %columns = arith.extsi %cut : tensor<16xi32, #column> to tensor<16xi64, #column>
  %step = arith.muli %stride, %stride : i64
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %z, %at = %none) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %y = tts.load %b[%at] strides [%stride, 1] gather [1] by(%columns : tensor<16xi64, #column>) bounds [0] from(%none) to(%k) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #narrow>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #narrow> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  return %r#0 : tensor<64x16xf32, #c>
}

// Rows from memory, and those that are cut at another number, stay gathered.
// CHECK-LABEL: func.func @any_rows(
// CHECK-NOT: scf.if
// CHECK: return
func.func @any_rows(%a: memref<*xf16> {tt.divisibility = 16 : i32}, %y: tensor<32x16xf16, #columns>, %rows: tensor<64xi64, #row>, %start: i32, %m: tensor<64xi32, #row>, %n: i32, %z: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c>
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %zeros = arith.constant dense<0> : tensor<64xi32, #row>
  %iota = cta.iota 0 : tensor<64xindex, #row>
  %count = arith.index_cast %iota : tensor<64xindex, #row> to tensor<64xi32, #row>
  %from = cta.splat %start : tensor<64xi32, #row>
  %i = arith.addi %from, %count : tensor<64xi32, #row>
  %before = arith.cmpi slt, %i, %m : tensor<64xi32, #row>
  %cut = arith.select %before, %i, %zeros : tensor<64xi1, #row>, tensor<64xi32, #row>
  %wide = arith.extsi %cut : tensor<64xi32, #row> to tensor<64xi64, #row>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %z) -> (tensor<64x16xf32, #c>) : i32 {
    %x = tts.load %a[%none] strides [64, 1] gather [0] by(%rows : tensor<64xi64, #row>) : memref<*xf16> -> tensor<64x32xf16, #rows>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %w = tts.load %a[%none] strides [64, 1] gather [0] by(%wide : tensor<64xi64, #row>) : memref<*xf16> -> tensor<64x32xf16, #rows>
    %e = cta.dot %w, %y, %d : tensor<64x32xf16, #rows>, tensor<32x16xf16, #columns> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %e : tensor<64x16xf32, #c>
  }
  return %r : tensor<64x16xf32, #c>
}
