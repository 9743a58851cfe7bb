// Results of 128 rows, whose places nobody knows beforehand, and these places need more registers than a thread has: each is computed where it is stored to. 32 rows have room for all.

// RUN: triton-shared-opt %s --target=cuda:90a --num-warps=1 --to-phase=ptx | FileCheck %s

// CHECK:      .visible .entry many(
// CHECK:      st.global.b16 [%[[FIRST:rd[0-9]+]]],
// CHECK-NEXT: mul.wide.s32 %[[ROW:rd[0-9]+]], %r{{[0-9]+}}, 2;
// CHECK-NEXT: add.s64 %[[SECOND:rd[0-9]+]], %[[FIRST]], %[[ROW]];
// CHECK-NEXT: st.global.b16 [%[[SECOND]]],

// CHECK:      .visible .entry few(
// CHECK:      st.global.b16
// CHECK-NEXT: st.global.b16

tt.func public @many(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>, %step: i32) {
  %width = arith.constant dense<64> : tensor<128x1xi32>
  %b_width = arith.constant dense<64> : tensor<32x1xi32>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %l = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %column = tt.expand_dims %l {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n = tt.expand_dims %l {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a_row = arith.muli %row, %width : tensor<128x1xi32>
  %a_rows = tt.broadcast %a_row : tensor<128x1xi32> -> tensor<128x64xi32>
  %ks = tt.broadcast %k : tensor<1x64xi32> -> tensor<128x64xi32>
  %a_at = arith.addi %a_rows, %ks : tensor<128x64xi32>
  %a_base = tt.splat %p : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %a_ptr = tt.addptr %a_base, %a_at : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %a = tt.load %a_ptr : tensor<128x64x!tt.ptr<f16>>
  %b_row = arith.muli %column, %b_width : tensor<32x1xi32>
  %b_rows = tt.broadcast %b_row : tensor<32x1xi32> -> tensor<32x64xi32>
  %b_ks = tt.broadcast %k : tensor<1x64xi32> -> tensor<32x64xi32>
  %b_at = arith.addi %b_rows, %b_ks : tensor<32x64xi32>
  %b_base = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %b_ptr = tt.addptr %b_base, %b_at : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %t = tt.load %b_ptr : tensor<32x64x!tt.ptr<f16>>
  %b = tt.trans %t {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
  %sums = tt.dot %a, %b, %zero : tensor<128x64xf16> * tensor<64x32xf16> -> tensor<128x32xf32>
  %results = arith.truncf %sums : tensor<128x32xf32> to tensor<128x32xf16>
  %steps = tt.splat %step : i32 -> tensor<128x1xi32>
  %o_row = arith.muli %row, %steps : tensor<128x1xi32>
  %o_rows = tt.broadcast %o_row : tensor<128x1xi32> -> tensor<128x32xi32>
  %ns = tt.broadcast %n : tensor<1x32xi32> -> tensor<128x32xi32>
  %o_at = arith.addi %o_rows, %ns : tensor<128x32xi32>
  %o_base = tt.splat %out : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %o_ptr = tt.addptr %o_base, %o_at : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
  tt.store %o_ptr, %results : tensor<128x32x!tt.ptr<f16>>
  tt.return
}
tt.func public @few(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>, %step: i32) {
  %width = arith.constant dense<64> : tensor<32x1xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a_row = arith.muli %row, %width : tensor<32x1xi32>
  %a_rows = tt.broadcast %a_row : tensor<32x1xi32> -> tensor<32x64xi32>
  %ks = tt.broadcast %k : tensor<1x64xi32> -> tensor<32x64xi32>
  %a_at = arith.addi %a_rows, %ks : tensor<32x64xi32>
  %a_base = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %a_ptr = tt.addptr %a_base, %a_at : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %a = tt.load %a_ptr : tensor<32x64x!tt.ptr<f16>>
  %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
  %sums = tt.dot %a, %b, %zero : tensor<32x64xf16> * tensor<64x32xf16> -> tensor<32x32xf32>
  %results = arith.truncf %sums : tensor<32x32xf32> to tensor<32x32xf16>
  %steps = tt.splat %step : i32 -> tensor<32x1xi32>
  %o_row = arith.muli %row, %steps : tensor<32x1xi32>
  %o_rows = tt.broadcast %o_row : tensor<32x1xi32> -> tensor<32x32xi32>
  %ns = tt.broadcast %n : tensor<1x32xi32> -> tensor<32x32xi32>
  %o_at = arith.addi %o_rows, %ns : tensor<32x32xi32>
  %o_base = tt.splat %out : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %o_ptr = tt.addptr %o_base, %o_at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  tt.store %o_ptr, %results : tensor<32x32x!tt.ptr<f16>>
  tt.return
}
