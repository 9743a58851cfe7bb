// A function becomes a kernel; its program is a block of the grid.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

// CHECK: gpu.module @kernels
// CHECK: llvm.mlir.global external @cta_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @program(%[[P:.*]]: !llvm.ptr<1>) kernel
// CHECK-SAME: cta.num_warps = 4 : i32, cta.shared = 0 : i64
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
func.func @program(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64} {
  // CHECK: %[[Z:.*]] = nvvm.read.ptx.sreg.nctaid.z
  // CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
  // CHECK: arith.addi %[[Z]], %[[Y]]
  // A scalar is written by one thread.
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[ALL:.*]] = arith.andi %[[TID]], %c127_i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ALL]]
  // CHECK: llvm.inline_asm {{.*}}@$1 st.global.b32{{.*}} %{{.*}}, %[[FIRST]],
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = arith.addi %gz, %y : i32
  tts.store %v to %p[%zero] strides [] : i32, memref<*xi32>
  return
}
