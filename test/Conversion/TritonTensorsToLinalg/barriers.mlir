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
