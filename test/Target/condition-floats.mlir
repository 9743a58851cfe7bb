// A condition that holds is -1 as a signed number, in bf16, too, of which LLVM makes 1.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 | FileCheck %s

// CHECK-LABEL: .entry signs(
// CHECK-NOT:     cvt.rn.bf16.s32
// CHECK:         selp.b{{16|32}} {{.*}}, {{0xBF80|49024}}, {{0x0000|0}}, %{{p[0-9]+}};
// CHECK-NOT:     cvt.rn.bf16.s32
tt.func public @signs(%p: !tt.ptr<i32>, %q: !tt.ptr<bf16>) {
  %at = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %sources = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %from = tt.addptr %sources, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<i32>>
  %odd = arith.trunci %x : tensor<32xi32> to tensor<32xi1>
  %y = arith.sitofp %odd : tensor<32xi1> to tensor<32xbf16>
  %results = tt.splat %q : !tt.ptr<bf16> -> tensor<32x!tt.ptr<bf16>>
  %to = tt.addptr %results, %at : tensor<32x!tt.ptr<bf16>>, tensor<32xi32>
  tt.store %to, %y : tensor<32x!tt.ptr<bf16>>
  tt.return
}
