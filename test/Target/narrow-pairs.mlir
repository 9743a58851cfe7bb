// Where the bytes of a pair of narrow floats become lanes of 16 bits, the pair is hidden from ptxas: that of CUDA 12.8 and 12.9 mixes up halves of
// registers otherwise. Two pairs that come from different values are one register as they are.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=FOUR < %t.ptx

// CHECK-LABEL: .entry bytes_of_two(
// CHECK:       cvt.rn.satfinite.e4m3x2.f32 [[PAIR:%rs[0-9]+]],
// CHECK-NEXT:  {
// CHECK:       cvt.u32.u16 whole, [[PAIR]];
// CHECK-NEXT:  prmt.b32 whole, whole, 0, 0x7710;
// CHECK-NEXT:  mov.b32 {[[PAIR]], none}, whole;
// CHECK-NEXT:  }
// CHECK:       shr.u16 [[HIGH:%rs[0-9]+]], [[PAIR]], 8;
// CHECK:       mov.b32 {{.*}}, {[[PAIR]], [[HIGH]]};
tt.func public @bytes_of_two(%x: !tt.ptr<f32>, %y: !tt.ptr<bf16>) {
  %at = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ptrs = tt.addptr %bases, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %values = tt.load %ptrs : tensor<64x!tt.ptr<f32>>
  %narrow = tt.fp_to_fp %values, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
  %bytes = tt.bitcast %narrow : tensor<64xf8E4M3FN> -> tensor<64xi8>
  %wide = arith.uitofp %bytes : tensor<64xi8> to tensor<64xbf16>
  %outs = tt.splat %y : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %out_ptrs = tt.addptr %outs, %at : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  tt.store %out_ptrs, %wide : tensor<64x!tt.ptr<bf16>>
  tt.return
}

// FOUR-LABEL: .entry four(
// FOUR:       cvt.rn.satfinite.e4m3x2.f32 [[LOW:%rs[0-9]+]],
// FOUR-NEXT:  cvt.rn.satfinite.e4m3x2.f32 [[HIGH:%rs[0-9]+]],
// FOUR-NOT:   whole
// FOUR:       mov.b32 {{.*}}, {[[LOW]], [[HIGH]]};
tt.func public @four(%x: !tt.ptr<f32>, %y: !tt.ptr<bf16>) {
  %at = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bases = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ptrs = tt.addptr %bases, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %values = tt.load %ptrs : tensor<128x!tt.ptr<f32>>
  %narrow = tt.fp_to_fp %values, rounding = rtne : tensor<128xf32> -> tensor<128xf8E4M3FN>
  %bytes = tt.bitcast %narrow : tensor<128xf8E4M3FN> -> tensor<128xi8>
  %wide = arith.uitofp %bytes : tensor<128xi8> to tensor<128xbf16>
  %outs = tt.splat %y : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %out_ptrs = tt.addptr %outs, %at : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  tt.store %out_ptrs, %wide : tensor<128x!tt.ptr<bf16>>
  tt.return
}
