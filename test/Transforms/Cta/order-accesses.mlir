// RUN: triton-shared-opt %s --split-input-file --cta-order-accesses | FileCheck %s

// Barriers where another thread of the program may have written what is read.

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// Each thread updates its own elements.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @in_place(%p: memref<*xf32>, %o: i64) attributes {cta.num_warps = 1 : i32} {
  %x = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
  tts.store %x to %p[%o] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// A shift: every element is written by the neighbour of the thread that reads it.
// CHECK-LABEL: func.func @shift(
// CHECK:         tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.load
func.func @shift(%p: memref<*xf32>, %q: memref<*xf32>, %a: i64, %b: i64) attributes {cta.num_warps = 1 : i32} {
  %x = tts.load %p[%a] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
  tts.store %x to %p[%b] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  %y = tts.load %p[%a] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
  tts.store %y to %q[%a] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// What an earlier turn of the loop wrote may be anywhere; other arguments are apart.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tts.load %arg0
// CHECK-NEXT:      tts.store %{{.*}} to %arg0
// CHECK-NEXT:      tts.store %{{.*}} to %arg1
func.func @loop(%p: memref<*xf32>, %q: memref<*xf32>, %n: i64) attributes {cta.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tts.load %p[%i] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
    tts.store %x to %p[%i] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
    tts.store %x to %q[%c0] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  }
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#shared = #cta.shared<[[1], [2], [4], [8], [16]]>

// A copy reads what other threads have written before, and a wait is a barrier.
// CHECK-LABEL: func.func @copy(
// CHECK:         tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    cta.copy
// CHECK:         cta.wait
// CHECK-NEXT:    tts.store
func.func @copy(%p: memref<*xf32>, %x: tensor<32xf32, #layout>, %a: i64, %b: i64, %slot: i32, %c: i1) attributes {cta.num_warps = 1 : i32} {
  %ring = cta.alloc : !cta.buffer<1, 32xf32, #shared>
  tts.store %x to %p[%a] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  cta.copy to %ring[%slot] if %c : !cta.buffer<1, 32xf32, #shared> {
    %y = tts.load %p[%b] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
    cta.yield %y : tensor<32xf32, #layout>
  }
  cta.commit
  cta.wait 0
  tts.store %x to %p[%a] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// The same numbers wrap another dimension: the thread that reads an element is not the one that wrote it. Rows that wrap may come twice.
// CHECK-LABEL: func.func @other_dimension(
// CHECK:         tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
// CHECK-NEXT:    return
func.func @other_dimension(%p: memref<*xf32>, %x: tensor<4x8xf32, #layout>, %o: i64, %r: i64, %n: i64) attributes {cta.num_warps = 1 : i32} {
  tts.store %x to %p[%o] strides [8, 1] wrap [0] from (%r) size (%n) : tensor<4x8xf32, #layout>, memref<*xf32>
  %y = tts.load %p[%o] strides [8, 1] wrap [1] from (%r) size (%n) : memref<*xf32> -> tensor<4x8xf32, #layout>
  tts.store %y to %p[%o] strides [8, 1] wrap [1] from (%r) size (%n) : tensor<4x8xf32, #layout>, memref<*xf32>
  return
}

// -----

// A poll waits for what another thread writes, and no barrier has to.
// CHECK-LABEL: func.func @poll(
// CHECK:         tts.store
// CHECK-NEXT:    tts.atomic_poll
// CHECK-NEXT:    return
func.func @poll(%p: memref<*xi32>, %x: i32, %o: i64) attributes {cta.num_warps = 1 : i32} {
  tts.store %x to %p[%o] strides [] : i32, memref<*xi32>
  %r = tts.atomic_poll acquire gpu %x at %p[%o] : i32, memref<*xi32>
  return
}

// -----

// Also among the warps beside one that copies.
// CHECK-LABEL: func.func @parted(
// CHECK:         } consumers {
// CHECK:         tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.load
func.func @parted(%p: memref<*xi32>, %x: i32, %o: i64, %other: i64) attributes {cta.num_warps = 4 : i32, cta.producer_warps = 1 : i32} {
  cta.specialize producer {
  } consumers {
    tts.store %x to %p[%o] strides [] : i32, memref<*xi32>
    %r = tts.load %p[%other] strides [] : memref<*xi32> -> i32
    %i = arith.extsi %r : i32 to i64
    %s = tts.load %p[%i] strides [] : memref<*xi32> -> i32
    tts.store %s to %p[%other] strides [] : i32, memref<*xi32>
  }
  return
}

// -----

// One thread stores single elements: what it alone needs, others may read in any state.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @sums(%p: memref<*xi32>, %n: i64, %m: i1) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sum = scf.for %i = %first to %n step %one iter_args(%last = %zero) -> (i32) : i64 {
    %x = tts.load %p[%i] strides [] : memref<*xi32> -> i32
    %next = arith.addi %last, %x : i32
    tts.store %next to %p[%i] strides [] : i32, memref<*xi32>
    %taken = scf.if %m -> (i32) {
      scf.yield %next : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %taken : i32
  }
  tts.store %sum to %p[%n] strides [] : i32, memref<*xi32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[0, 0], [0, 0]]>
// What says where the program goes, or is a part of a tile, all need.
// CHECK-LABEL: func.func @branch(
// CHECK:         tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
// CHECK-LABEL: func.func @splat(
// CHECK:         tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
func.func @branch(%p: memref<*xi32>, %o: i64, %x: i32) attributes {cta.num_warps = 4 : i32} {
  %r = tts.load %p[%o] strides [] : memref<*xi32> -> i32
  tts.store %x to %p[%o] strides [] : i32, memref<*xi32>
  %is = arith.cmpi eq, %r, %x : i32
  scf.if %is {
    tts.store %r to %p[%o] strides [] : i32, memref<*xi32>
  }
  return
}
func.func @splat(%p: memref<*xi32>, %q: memref<*xi32>, %o: i64, %x: i32) attributes {cta.num_warps = 4 : i32} {
  %r = tts.load %p[%o] strides [] : memref<*xi32> -> i32
  tts.store %x to %p[%o] strides [] : i32, memref<*xi32>
  %tile = cta.splat %r : tensor<4x8xi32, #layout>
  tts.store %tile to %q[%o] strides [8, 1] : tensor<4x8xi32, #layout>, memref<*xi32>
  return
}
