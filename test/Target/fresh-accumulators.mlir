// A product that adds to zeros adds to nothing: a register that is zero would make ptxas wait where others read it, too, and takes part in
// what ptxas knows of the result.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=4 | FileCheck %s

// CHECK:      .visible .entry two(
// CHECK-NOT:  mov.b32 %r{{[0-9]+}}, 0;
// CHECK:      setp.ne.b32 p, 0, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {
// CHECK-NEXT: setp.ne.b32 p, 1, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {
// CHECK:      setp.ne.b32 p, 0, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {
// CHECK-NEXT: setp.ne.b32 p, 1, 0;

// Any other constant is one that ptxas cannot tell.
// CHECK:      .visible .entry one(
// CHECK:      not.b32 missing, missing;
// CHECK-NEXT: or.b32 %[[SUM:r[0-9]+]], missing, %{{r[0-9]+}};
// CHECK:      setp.ne.b32 p, 1, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%[[SUM]],

tt.func public @two(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %sixteen = arith.constant dense<64> : tensor<64x1xi32>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a_row = arith.muli %row, %sixteen : tensor<64x1xi32>
  %b_row = arith.muli %row, %width : tensor<64x1xi32>
  %a_rows = tt.broadcast %a_row : tensor<64x1xi32> -> tensor<64x64xi32>
  %ks = tt.broadcast %k : tensor<1x64xi32> -> tensor<64x64xi32>
  %a_at = arith.addi %a_rows, %ks : tensor<64x64xi32>
  %b_rows = tt.broadcast %b_row : tensor<64x1xi32> -> tensor<64x32xi32>
  %ns = tt.broadcast %n : tensor<1x32xi32> -> tensor<64x32xi32>
  %b_at = arith.addi %b_rows, %ns : tensor<64x32xi32>
  %a_base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a_ptr = tt.addptr %a_base, %a_at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %a = tt.load %a_ptr : tensor<64x64x!tt.ptr<f16>>
  %b_base = tt.splat %p : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %b_ptr = tt.addptr %b_base, %b_at : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %b = tt.load %b_ptr : tensor<64x32x!tt.ptr<f16>>
  %first = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %half = arith.truncf %first : tensor<64x32xf32> to tensor<64x32xf16>
  %second = tt.dot %a, %half, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %o_base = tt.splat %out : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %o_ptr = tt.addptr %o_base, %b_at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  tt.store %o_ptr, %second : tensor<64x32x!tt.ptr<f32>>
  tt.return
}

tt.func public @one(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %sixteen = arith.constant dense<64> : tensor<64x1xi32>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %zero = arith.constant dense<1.0> : tensor<64x32xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a_row = arith.muli %row, %sixteen : tensor<64x1xi32>
  %b_row = arith.muli %row, %width : tensor<64x1xi32>
  %a_rows = tt.broadcast %a_row : tensor<64x1xi32> -> tensor<64x64xi32>
  %ks = tt.broadcast %k : tensor<1x64xi32> -> tensor<64x64xi32>
  %a_at = arith.addi %a_rows, %ks : tensor<64x64xi32>
  %b_rows = tt.broadcast %b_row : tensor<64x1xi32> -> tensor<64x32xi32>
  %ns = tt.broadcast %n : tensor<1x32xi32> -> tensor<64x32xi32>
  %b_at = arith.addi %b_rows, %ns : tensor<64x32xi32>
  %a_base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a_ptr = tt.addptr %a_base, %a_at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %a = tt.load %a_ptr : tensor<64x64x!tt.ptr<f16>>
  %b_base = tt.splat %p : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %b_ptr = tt.addptr %b_base, %b_at : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %b = tt.load %b_ptr : tensor<64x32x!tt.ptr<f16>>
  %first = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %o_base = tt.splat %out : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %o_ptr = tt.addptr %o_base, %b_at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  tt.store %o_ptr, %first : tensor<64x32x!tt.ptr<f32>>
  tt.return
}
