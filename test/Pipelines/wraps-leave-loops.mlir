// Rows and columns that wrap around are the same in each turn: what is left of
// them by a size is computed before the loop, of both operands.
// RUN: triton-shared-opt --to-phase=gpu --target=cuda:90a %S/../corpus/ttir/matmul_grouped-3.6.0.mlir | FileCheck %s

// CHECK: gpu.func
// CHECK: arith.remui
// CHECK: scf.for
// CHECK-NOT: arith.remui
// CHECK: nvvm.wgmma
