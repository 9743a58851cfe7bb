// RUN: triton-shared-opt %s --to-phase=llir --mode=fast --target=cpu:x86-64-v4 \
// RUN:   | mlir-translate --mlir-to-llvmir | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -S | FileCheck %s

// Truth values that are read one by one from the bytes of a comparison are its
// bits. LLVM makes no vector of all bits of the bytes, which fits into no mask
// register.
// CHECK-LABEL: define void @masked.entry(
// CHECK-COUNT-16: extractelement <16 x i1>
// CHECK-NOT:     <128 x i1>
tt.func public @masked(%in: !tt.ptr<i16>, %out: !tt.ptr<i16>, %n: i32) {
  %at = tt.make_range {end = 19 : i32, start = 3 : i32} : tensor<16xi32>
  %ins = tt.splat %in : !tt.ptr<i16> -> tensor<16x!tt.ptr<i16>>
  %from = tt.addptr %ins, %at : tensor<16x!tt.ptr<i16>>, tensor<16xi32>
  %most = tt.splat %n : i32 -> tensor<16xi32>
  %mask = arith.cmpi ult, %at, %most : tensor<16xi32>
  %other = arith.constant dense<7> : tensor<16xi16>
  %x = tt.load %from, %mask, %other : tensor<16x!tt.ptr<i16>>
  %outs = tt.splat %out : !tt.ptr<i16> -> tensor<16x!tt.ptr<i16>>
  %to = tt.addptr %outs, %at : tensor<16x!tt.ptr<i16>>, tensor<16xi32>
  tt.store %to, %x : tensor<16x!tt.ptr<i16>>
  tt.return
}
