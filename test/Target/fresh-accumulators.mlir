// A product that begins with zeros has registers of its own for them: one that others read, too, would make ptxas wait.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=4 | FileCheck %s

// CHECK:      mov.b32 %[[FIRST:r[0-9]+]], 0;
// CHECK-NEXT: mov.b32 %[[SECOND:r[0-9]+]], 0;
// CHECK:      wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%[[FIRST]], %[[SECOND]],
// CHECK:      mov.b32 %[[OTHER:r[0-9]+]], 0;
// CHECK:      wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%[[OTHER]],

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
