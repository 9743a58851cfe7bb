// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s --check-prefix=SHARED

// Atomic accesses: each element once, in order, and heard by all who hold it.

#once = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#twice = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>

// Each element is updated behind its mask. Nobody asks for old values, so none
// go through shared memory and the memory needs no answer; one fence and one barrier on each side order all.
// SHARED-LABEL: @add_block
// SHARED-SAME:    cta.shared = 0
// CHECK-LABEL:  gpu.func @add_block
// CHECK:          nvvm.barrier0
// CHECK-NEXT:     llvm.fence syncscope("device") acq_rel
// CHECK:          scf.if %[[MASK:.*]] ->
// CHECK:            llvm.inline_asm has_side_effects {{.*}}"red.relaxed.gpu.global.add.f32 [$0], $1;"
// CHECK:          llvm.fence syncscope("device") acq_rel
// CHECK-NEXT:     nvvm.barrier0
// CHECK-NOT:      cta_shared
// CHECK:          gpu.return
func.func @add_block(%p: memref<*xf32>, %v: f32, %c: i1, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %values = cta.splat %v : tensor<32xf32, #once>
  %offsets = arith.constant dense<0> : tensor<32xi64, #once>
  %mask = cta.splat %c : tensor<32xi1, #once>
  %old = tts.atomic_rmw fadd acq_rel gpu %values at %p[%offsets] mask %mask : tensor<32xi1, #once> : tensor<32xf32, #once>, memref<*xf32>, tensor<32xi64, #once>
  %c0 = arith.constant 0 : i64
  tts.store %v to %p[%c0] strides [] : f32, memref<*xf32>
  return
}

// Behind the last access of a program, also in a branch, nothing is waited for; in a loop there is
// another turn.
// CHECK-LABEL:  gpu.func @at_the_end
// CHECK:          scf.for
// CHECK:            llvm.fence syncscope("device") acq_rel
// CHECK:            "red.relaxed
// CHECK:            llvm.fence syncscope("device") acq_rel
// CHECK-NEXT:       nvvm.barrier0
// CHECK:          scf.if
// CHECK:            llvm.fence syncscope("device") acq_rel
// CHECK:            "red.relaxed
// CHECK-NOT:        llvm.fence
// CHECK-NOT:        nvvm.barrier
// CHECK:          gpu.return
func.func @at_the_end(%p: memref<*xf32>, %v: f32, %c: i1, %n: i64, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %old = tts.atomic_rmw fadd acq_rel gpu %v at %p[%i] : f32, memref<*xf32>, i64
  }
  scf.if %c {
    %old = tts.atomic_rmw fadd acq_rel gpu %v at %p[%c0] : f32, memref<*xf32>, i64
  }
  return
}

// Where two lanes hold an element, one acts, and both read what it found.
// SHARED-LABEL: @shared_old_values
// SHARED-SAME:    cta.shared = 64
// CHECK-LABEL:  gpu.func @shared_old_values
// CHECK-NOT:      nvvm.barrier0
// CHECK:          %[[HOLDS:.*]] = arith.cmpi eq
// CHECK:          %[[OLD:.*]] = scf.if %[[HOLDS]]
// CHECK:            llvm.atomicrmw umax {{.*}} syncscope("block") monotonic
// CHECK:          scf.if %[[HOLDS]]
// CHECK:            llvm.store
// CHECK:          nvvm.barrier0
// CHECK:          llvm.load
func.func @shared_old_values(%p: memref<*xi32>, %q: memref<*xi32>, %v: i32, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %values = cta.splat %v : tensor<16xi32, #twice>
  %offsets = arith.constant dense<0> : tensor<16xi64, #twice>
  %old = tts.atomic_rmw umax relaxed cta %values at %p[%offsets] : tensor<16xi32, #twice>, memref<*xi32>, tensor<16xi64, #twice>
  tts.scatter %old to %q[%offsets] : tensor<16xi32, #twice>, memref<*xi32>, tensor<16xi64, #twice>
  return
}

// A lock: the first thread swaps, and the others go on when they know how.
// CHECK-LABEL:  gpu.func @take_lock
// CHECK:          nvvm.barrier0
// CHECK-NEXT:     llvm.fence syncscope("device") acq_rel
// CHECK:          scf.if
// CHECK:            llvm.cmpxchg {{.*}} syncscope("device") monotonic monotonic
// CHECK:          llvm.fence syncscope("device") acq_rel
// CHECK:          scf.if
// CHECK:            llvm.store
// CHECK:          nvvm.barrier0
// CHECK:          llvm.load
func.func @take_lock(%p: memref<*xi32>, %q: memref<*xi32>, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  %old = tts.atomic_cas acq_rel gpu %free, %taken at %p[%c0] : i32, memref<*xi32>, i64
  tts.store %old to %q[%c0] strides [] : i32, memref<*xi32>
  return
}

// The scope of the whole machine is spelled out where there is an instruction,
// else the update is a loop of swaps.
// CHECK-LABEL:  gpu.func @whole_machine
// CHECK:          llvm.inline_asm has_side_effects {{.*}}"red.relaxed.sys.global.inc.u32 [$0], $1;"
// CHECK:          scf.while
// CHECK:            arith.maxnumf
// CHECK:            llvm.cmpxchg {{.*}} monotonic monotonic
func.func @whole_machine(%p: memref<*xi32>, %q: memref<*xf32>, %v: i32, %f: f32, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %0 = tts.atomic_rmw increment relaxed sys %v at %p[%c0] : i32, memref<*xi32>, i64
  %1 = tts.atomic_rmw fmax relaxed sys %f at %q[%c0] : f32, memref<*xf32>, i64
  return
}

// One thread waits and reads the clock; all wait for it.
// SHARED-LABEL: @wait_for_flag
// SHARED-SAME:    cta.shared = 16
// CHECK-LABEL:  gpu.func @wait_for_flag
// CHECK:          scf.if
// CHECK:            nvvm.read.ptx.sreg.globaltimer
// CHECK:            scf.while
// CHECK:              llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK:          llvm.fence syncscope("device") acq_rel
// CHECK:          nvvm.barrier0
func.func @wait_for_flag(%p: memref<*xi32>, %t: i64, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %ok = tts.atomic_poll acquire gpu %one at %p[%c0] timeout %t : i32, memref<*xi32>
  tts.store %one to %p[%c0] strides [] : i32, memref<*xi32>
  return
}
