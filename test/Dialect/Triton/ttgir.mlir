// RUN: not triton-shared-opt --split-input-file %s 2>&1 | FileCheck %s

// Triton's phase behind TTIR is refused where it is first seen.
// CHECK: ttgir.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: this is TTGIR, in which Triton has chosen layouts for its own way to a GPU; compile the kernel's TTIR, as in kernel.asm["ttir"]
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @kernel(%x: tensor<64xf32, #blocked>) {
    tt.return
  }
}

// -----

// CHECK: error: this is TTGIR, in which Triton has chosen shared memory for its own way to a GPU
func.func private @memory(!ttg.memdesc<32x32xf16>)
