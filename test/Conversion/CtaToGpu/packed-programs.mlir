// Programs that share a block are told apart by their warp; the size of the
// grid is a hidden parameter, and programs beyond it do nothing.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

// CHECK: gpu.func @program(%[[P:.*]]: !llvm.ptr<1>, %[[SIZE:.*]]: i32 {tts.parameter = "grid.x"}) kernel
// CHECK-SAME: cta.programs = 4 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 4, 1>
func.func @program(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.programs = 4 : i32, cta.shared = 0 : i64} {
  // CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[FOUR]]
  // CHECK: %[[WARP:.*]] = nvvm.read.ptx.sreg.tid.y
  // CHECK: %[[X:.*]] = arith.addi %[[FIRST]], %[[WARP]]
  // CHECK: %[[IS_THERE:.*]] = arith.cmpi ult, %[[X]], %[[SIZE]]
  // CHECK-NEXT: scf.if %[[IS_THERE]] {
  // CHECK: arith.addi %[[SIZE]], %[[X]]
  // CHECK: llvm.inline_asm {{.*}}st.global.b32{{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  %zero = arith.constant 0 : i64
  %v = arith.addi %gx, %x : i32
  tts.store %v to %p[%zero] strides [] : i32, memref<*xi32>
  return
}
