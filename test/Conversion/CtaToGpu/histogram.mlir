// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

// A histogram is counted in shared memory: clear, count, read, with barriers
// between. An element beyond the bins, or masked, or held by another thread too
// that comes first, counts nothing.

#twice = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>
#bins = #cta.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = []>

// CHECK-LABEL:  gpu.func @count
// CHECK:          llvm.store
// CHECK:          nvvm.barrier0
// CHECK:          %[[HOLDS:.*]] = arith.cmpi eq
// CHECK:          %[[ISBIN:.*]] = arith.cmpi ult
// CHECK:          %[[BOTH:.*]] = arith.andi %[[ISBIN]], %[[HOLDS]]
// CHECK:          %[[COUNTS:.*]] = arith.andi %[[BOTH]],
// CHECK:          scf.if %[[COUNTS]]
// CHECK:            llvm.atomicrmw add {{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK:          nvvm.barrier0
// CHECK:          llvm.load
func.func @count(%p: memref<*xi32>, %v: i32, %c: i1, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %x = cta.splat %v : tensor<16xi32, #twice>
  %m = cta.splat %c : tensor<16xi1, #twice>
  %offsets = arith.constant dense<0> : tensor<4xi64, #bins>
  %h = cta.histogram %x mask %m : tensor<16xi1, #twice> : tensor<16xi32, #twice> -> tensor<4xi32, #bins>
  tts.scatter %h to %p[%offsets] : tensor<4xi32, #bins>, memref<*xi32>, tensor<4xi64, #bins>
  return
}
