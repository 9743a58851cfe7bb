// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

#tile = #cta.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>

// Each thread reads once, for all elements that it holds; nothing is dropped.
// CHECK-LABEL: gpu.func @k(
// CHECK:         %[[LANE:.*]] = llvm.inline_asm has_side_effects "mov.u32 $0, %laneid;", "=r"
// CHECK:         vector.broadcast %[[LANE]] : i32 to vector<2xi32>
// CHECK:         llvm.inline_asm has_side_effects "mov.u64 $0, %globaltimer;", "=l" : () -> i64
func.func @k(%gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %0 = tts.read_machine laneid : tensor<64xi32, #tile>
  %1 = tts.read_machine globaltimer : i64
  return
}
