// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s
// RUN: triton-shared-opt %s --triton-tensors-to-linalg=keep-barriers | FileCheck %s --check-prefix=KEEP

// Elements of a program run in order; who compares programs of a GPU with each
// other wants to know where it waits.
// CHECK-LABEL: func.func @wait(
// CHECK-NOT:     barrier
// KEEP-LABEL:  func.func @wait(
// KEEP-COUNT-2:  gpu.barrier
tt.func @wait() {
  gpu.barrier
  ttg.barrier all
  tt.return
}

// The same in assembly.
// CHECK-LABEL: func.func @assembly(
// CHECK-NOT:     barrier
// KEEP-LABEL:  func.func @assembly(
// KEEP-COUNT-3:  gpu.barrier
tt.func @assembly() -> i32 {
  %0 = tt.elementwise_inline_asm "bar.sync 0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %1 = tt.elementwise_inline_asm "barrier.cta.sync.aligned 0; mov.u32 $0, 1; barrier.sync 0x0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return %1 : i32
}
