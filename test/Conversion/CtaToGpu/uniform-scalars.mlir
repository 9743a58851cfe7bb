// What each thread of a kernel that copies by TMA has loaded or divided for itself is told to be the same in its warp.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]>
#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
#none = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[], []]>

// Where it is taken first, so that no load waits for the one before it.
// A number that a load, a division by what is not known, or a reduction gives; not what a constant divides, and not
// what lanes find out about turns of their own, or threads combine of their elements.
// CHECK-LABEL: gpu.func @copy(
// CHECK: %[[LOADED:.*]] = vector.extract %{{.*}}[0] : i32
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[QUOTIENT:.*]] = arith.divsi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[TURNS:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[LOADED]], %c0_i32, %c31_i32 : i32 -> i32
// CHECK-NEXT: %[[EIGHTH:.*]] = arith.divsi %[[TURNS]], %c8_i32 : i32
// CHECK: %[[ROW:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[QUOTIENT]], %c0_i32, %c31_i32 : i32 -> i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[EIGHTH]]
// CHECK: cp.async.bulk.tensor{{.*}} %[[ROW]] :
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: arith.divsi
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: nvvm.vote.sync all
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: gpu.return
func.func @copy(%row: i32, %group: i32, %sizes: memref<*xi32>, %out: memref<*xi32>, %x: memref<*xf16>, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"},
    %map: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 4, sizes = [16, 64], strides = [64, 1], box = [16, 64], swizzle = 128, outside = zeros>})
    attributes {cta.num_warps = 4 : i32, cta.shared = 8208 : i64, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %first = arith.constant 0 : i64
  %true = arith.constant true
  %size = tts.load %sizes[%first] strides [] : memref<*xi32> -> i32
  %quotient = arith.divsi %row, %group : i32
  %turns = arith.divsi %size, %eight : i32
  %ring = cta.alloc {alignment = 1024 : i64, cta.shared_offset = 0 : i64} : !cta.buffer<2, 16x64xf16, #lines>
  %full = cta.mbarriers arrivals 1 {cta.shared_offset = 8192 : i64} : !cta.mbarriers<2>
  gpu.barrier
  scf.for %turn = %zero to %turns step %one : i32 {
    cta.copy_box %map[%quotient, %zero] dims [0, 1] by [16, 64] to %ring[%one] at %full if %true : !llvm.ptr, !cta.buffer<2, 16x64xf16, #lines>, !cta.mbarriers<2>
  }
  %inside = cta.all_turns from %zero to %turns step %one : i32 {
  ^bb0(%turn: i32):
    %part = arith.divsi %turn, %group : i32
    %holds = arith.cmpi slt, %part, %row : i32
    cta.yield %holds : i1
  }
  scf.if %inside {
    tts.store %one to %out[%first] strides [] : i32, memref<*xi32>
  }
  %lanes = cta.iota 0 : tensor<32xi32, #layout>
  %sum = cta.reduce %lanes axis 0 : (tensor<32xi32, #layout>) -> tensor<i32, #none> {
  ^bb0(%a: i32, %b: i32):
    %divided = arith.divsi %a, %b : i32
    cta.yield %divided : i32
  }
  %all = cta.extract %sum[] : tensor<i32, #none>
  tts.store %all to %out[%first] strides [] : i32, memref<*xi32>
  return
}

// Without copies or products of groups of warps nothing takes uniform registers.
// CHECK-LABEL: gpu.func @load(
// CHECK-NOT: nvvm.shfl.sync
// CHECK: gpu.return
func.func @load(%sizes: memref<*xi32>, %out: memref<*xi32>, %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"}, %px: i32 {tts.parameter = "program.x"}, %py: i32 {tts.parameter = "program.y"}, %pz: i32 {tts.parameter = "program.z"})
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %first = arith.constant 0 : i64
  %size = tts.load %sizes[%first] strides [] : memref<*xi32> -> i32
  tts.store %size to %out[%first] strides [] : i32, memref<*xi32>
  return
}
