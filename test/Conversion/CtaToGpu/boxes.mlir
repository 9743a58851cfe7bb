// One thread asks the copy engine for the pieces of a tile, and all wait at the barrier of the slot.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [0, 64]]>

// Two pieces of 16 rows of 128 bytes: the second 2048 bytes behind the first, 64 columns further.
// CHECK-LABEL: gpu.func @copy(
// CHECK-SAME: %[[MAP:[^: ]*]]: !llvm.ptr {
// CHECK: nvvm.fence.proxy
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}} : i32
// CHECK: llvm.inline_asm {{.*}} "@$0 mbarrier.init.shared.b64 [$1], 1;", "b,r" %[[FIRST]]
// CHECK: llvm.inline_asm {{.*}} "@$0 mbarrier.init.shared.b64 [$1], 1;", "b,r" %[[FIRST]]
// CHECK: llvm.inline_asm {{.*}} "fence.mbarrier_init.release.cluster;"
// CHECK: gpu.barrier
// CHECK: %[[ASKS:.*]] = arith.andi %{{.*}}, %[[FIRST]] : i1
// CHECK: llvm.inline_asm {{.*}} "@$0 mbarrier.arrive.expect_tx.shared.b64 _, [$1], $2;", "b,r,r" %[[ASKS]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[COLUMN:.*]], %c64_i32
// CHECK: llvm.inline_asm {{.*}} "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1], [$2, {$4, $5}], [$3];", "b,r,l,r,r,r" %[[ASKS]], %{{.*}}, %[[MAP]], %{{.*}}, %[[COLUMN]], %[[ROW:.*]] :
// CHECK: llvm.inline_asm {{.*}} %[[MAP]], %{{.*}}, %[[SECOND]], %[[ROW]] :
// CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity.shared.b64
// CHECK: llvm.inline_asm {{.*}} "@$0 mbarrier.inval.shared.b64 [$1];"
func.func @copy(%row: i32, %column: i32, %more: i1, %phase: i32, %x: memref<*xf16>, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"},
    %map: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 4, sizes = [16, 128], strides = [128, 1], box = [16, 64], swizzle = 128, outside = zeros>})
    attributes {cta.num_warps = 4 : i32, cta.shared = 8208 : i64, cta.target = #cta.target<"sm_90a">} {
  %one = arith.constant 1 : i32
  %ring = cta.alloc {alignment = 1024 : i64, cta.shared_offset = 0 : i64} : !cta.buffer<2, 16x128xf16, #lines>
  %full = cta.mbarriers arrivals 1 {cta.shared_offset = 8192 : i64} : !cta.mbarriers<2>
  gpu.barrier
  cta.copy_box %map[%row, %column] dims [0, 1] by [16, 64] to %ring[%one] at %full if %more : !llvm.ptr, !cta.buffer<2, 16x128xf16, #lines>, !cta.mbarriers<2>
  cta.wait_mbarrier %full[%one] phase %phase : !cta.mbarriers<2>
  gpu.barrier
  cta.invalidate %full : !cta.mbarriers<2>
  return
}
