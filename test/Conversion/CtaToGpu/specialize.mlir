// The warp that copies comes after those of the program, whose barriers are of their threads alone.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]>

// All threads meet once. Thread 0 makes barriers; those at multiples of 128, the first of the program and that of the
// warp which copies, ask for copies; of each group of four warps one arrives, or of each
// warp.
// CHECK-LABEL: gpu.func @parted(
// CHECK-SAME: cta.producer_warps = 1 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 160, 1, 1>
// CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0_i32
// CHECK: mbarrier.init{{.*}} %[[FIRST]]
// CHECK: nvvm.barrier0
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[COPIES:.*]] = arith.cmpi eq, %[[WARP]], %c4_i32
// CHECK: scf.if %[[COPIES]] {
// CHECK: mbarrier.try_wait
// CHECK: %[[IN_GROUP:.*]] = arith.andi %[[ID]], %c127_i32
// CHECK: %[[ASKS:.*]] = arith.cmpi eq, %[[IN_GROUP]], %c0_i32
// CHECK: mbarrier.arrive.expect_tx{{.*}} %[[ASKS]]
// CHECK: cp.async.bulk.tensor{{.*}} %[[ASKS]]
// CHECK: } else {
// CHECK: mbarrier.try_wait
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
// CHECK: %[[ARRIVES:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: "@$0 mbarrier.arrive.shared.b64 _, [$1];", "b,r" %[[ARRIVES]]
// CHECK: %[[IN_WARP:.*]] = arith.andi %[[ID]], %c31_i32
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[IN_WARP]], %c0_i32
// CHECK: %[[OF_WARP:.*]] = arith.andi %{{.*}}, %[[IS_FIRST]] : i1
// CHECK: "@$0 mbarrier.arrive.shared.b64 _, [$1];", "b,r" %[[OF_WARP]]
// CHECK: cp.async.bulk.tensor.2d.global
// CHECK-NEXT: "@$0 cp.async.bulk.commit_group;"
// CHECK-NEXT: "@$0 cp.async.bulk.wait_group.read 0;"
func.func @parted(%row: i32, %column: i32, %more: i1, %phase: i32, %x: memref<*xf16>, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"},
    %map: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 4, sizes = [16, 128], strides = [128, 1], box = [16, 64], swizzle = 128, outside = zeros>})
    attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32, cta.shared = 4128 : i64, cta.target = #cta.target<"sm_90a">} {
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %ring = cta.alloc {alignment = 1024 : i64, cta.shared_offset = 0 : i64} : !cta.buffer<2, 16x64xf16, #lines>
  %full = cta.mbarriers arrivals 1 {cta.shared_offset = 4096 : i64} : !cta.mbarriers<2>
  %empty = cta.mbarriers arrivals 1 {cta.shared_offset = 4112 : i64} : !cta.mbarriers<2>
  cta.specialize producer {
    cta.wait_mbarrier %empty[%one] phase %phase : !cta.mbarriers<2>
    cta.copy_box %map[%row, %column] dims [0, 1] by [16, 64] to %ring[%one] at %full if %true : !llvm.ptr, !cta.buffer<2, 16x64xf16, #lines>, !cta.mbarriers<2>
  } consumers {
    cta.wait_mbarrier %full[%one] phase %phase : !cta.mbarriers<2>
    gpu.barrier
    cta.arrive %empty[%one] if %more : !cta.mbarriers<2>
    cta.arrive %empty[%one] if %more by_warps : !cta.mbarriers<2>
    cta.store_box %ring[%one] to %map[%row, %column] dims [0, 1] by [16, 64] goes_on : !cta.buffer<2, 16x64xf16, #lines>, !llvm.ptr
    cta.wait_stores
  }
  return
}

// A whole group that copies leaves registers to the others. Its first warp copies, the rest of it is done.
// CHECK-LABEL: gpu.func @shared_out(
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[COPIES:.*]] = arith.cmpi eq, %[[WARP]], %c8_i32
// CHECK: %[[IS_OTHER:.*]] = arith.cmpi uge, %[[WARP]], %c8_i32
// CHECK: scf.if %[[IS_OTHER]] {
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK-NEXT: scf.if %[[COPIES]] {
// CHECK: mbarrier.try_wait
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 232
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c256_i32
func.func @shared_out(%phase: i32, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 4 : i32, cta.shared = 32 : i64, cta.target = #cta.target<"sm_90a">} {
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %empty = cta.mbarriers arrivals 2 {cta.shared_offset = 0 : i64} : !cta.mbarriers<2>
  cta.specialize producer {
    cta.wait_mbarrier %empty[%one] phase %phase : !cta.mbarriers<2>
  } consumers {
    gpu.barrier
    cta.arrive %empty[%one] if %true : !cta.mbarriers<2>
  }
  return
}

// The more groups compute, the less each of them gets.
// CHECK-LABEL: gpu.func @of_three(
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: nvvm.setmaxregister increase 160
func.func @of_three(%phase: i32, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 12 : i32, cta.producer_warps = 4 : i32, cta.shared = 32 : i64, cta.target = #cta.target<"sm_90a">} {
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %empty = cta.mbarriers arrivals 3 {cta.shared_offset = 0 : i64} : !cta.mbarriers<2>
  cta.specialize producer {
    cta.wait_mbarrier %empty[%one] phase %phase : !cta.mbarriers<2>
  } consumers {
    cta.arrive %empty[%one] if %true : !cta.mbarriers<2>
  }
  return
}

// Each group waits at a barrier of its own, with the group before it, which only arrives there. After the last comes the first.
// CHECK-LABEL: gpu.func @in_turns(
// CHECK: scf.if %{{.*}} {
// CHECK: } else {
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32
// CHECK: scf.if %[[IS_LAST]] {
// CHECK-NEXT: nvvm.barrier.arrive id = %c2_i32 number_of_threads = %c256_i32
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: %[[TURN:.*]] = arith.addi %[[GROUP]], %c2_i32
// CHECK: nvvm.barrier id = %[[TURN]] number_of_threads = %c256_i32
// CHECK: %[[PASSES:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[PASSES]], %c1_i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[PASSES]], %c3_i32
// CHECK: %[[PASSED:.*]] = arith.select %[[IS_LAST]], %c2_i32, %[[NEXT]]
// CHECK: nvvm.barrier.arrive id = %[[PASSED]] number_of_threads = %c256_i32
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c256_i32
func.func @in_turns(%gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.shared = 32 : i64, cta.target = #cta.target<"sm_90a">} {
  cta.specialize producer {
  } consumers {
    cta.pass_turn first
    cta.wait_turn
    cta.pass_turn
    cta.wait_turn first
  }
  return
}
