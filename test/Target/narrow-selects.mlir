// A GPU chooses between values of 8 and 16 bits as 32: the ptxas of CUDA 12.8 mixes up halves of registers otherwise.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 | FileCheck %s

// CHECK-NOT: selp.b16
// CHECK:     selp.b32
// CHECK-NOT: selp.b16

// A chain of choices, a value that is known, and bytes.
tt.func public @choose(%a: !tt.ptr<bf16>, %b: !tt.ptr<i8>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64xbf16>
  %at = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bases = tt.splat %a : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %ptrs = tt.addptr %bases, %at : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  %x = tt.load %ptrs : tensor<64x!tt.ptr<bf16>>
  %bytes = tt.splat %b : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %byte_ptrs = tt.addptr %bytes, %at : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  %y = tt.load %byte_ptrs : tensor<64x!tt.ptr<i8>>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %first = arith.cmpi slt, %at, %ns : tensor<64xi32>
  %even = arith.trunci %ns : tensor<64xi32> to tensor<64xi1>
  %negative = arith.negf %x : tensor<64xbf16>
  %inner = arith.select %first, %x, %zero : tensor<64xi1>, tensor<64xbf16>
  %outer = arith.select %even, %negative, %inner : tensor<64xi1>, tensor<64xbf16>
  tt.store %ptrs, %outer : tensor<64x!tt.ptr<bf16>>
  %fives = arith.constant dense<5> : tensor<64xi8>
  %byte = arith.select %first, %y, %fives : tensor<64xi1>, tensor<64xi8>
  tt.store %byte_ptrs, %byte : tensor<64x!tt.ptr<i8>>
  tt.return
}
