// Exchanges use two places in turn, and wait only where a place may still be read.
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s

#a = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>

// The places lie one after the other, each as large as its largest tile: 512
// bytes of f32, then 256 of f16.
// CHECK-LABEL: func.func @places(
// CHECK-SAME: cta.shared = 768 : i64
func.func @places(%x: tensor<128xf32, #a>, %h: tensor<128xf16, #a>) -> (tensor<128xf32, #b>, tensor<128xf16, #b>) attributes {cta.num_warps = 2 : i32} {
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  // CHECK-NOT: gpu.barrier
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 512 : i64
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  %0 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  %1 = cta.convert_layout %h : tensor<128xf16, #a> -> tensor<128xf16, #b>
  return %0, %1 : tensor<128xf32, #b>, tensor<128xf16, #b>
}

// The third exchange is at the place of the first, which everyone has read when
// the second has waited.
// CHECK-LABEL: func.func @three(
// CHECK-SAME: cta.shared = 1024 : i64
func.func @three(%x: tensor<128xf32, #a>) -> tensor<128xf32, #b> attributes {cta.num_warps = 2 : i32} {
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 512 : i64
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  %0 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  %1 = cta.convert_layout %0 : tensor<128xf32, #b> -> tensor<128xf32, #a>
  %2 = cta.convert_layout %1 : tensor<128xf32, #a> -> tensor<128xf32, #b>
  return %2 : tensor<128xf32, #b>
}

// In a loop one exchange follows itself: one barrier, not two.
// CHECK-LABEL: func.func @loop(
func.func @loop(%x: tensor<128xf32, #a>, %n: i32) -> tensor<128xf32, #a> attributes {cta.num_warps = 2 : i32} {
  // CHECK: scf.for
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %k = %zero to %n step %one iter_args(%v = %x) -> (tensor<128xf32, #a>) : i32 {
    %0 = cta.convert_layout %v : tensor<128xf32, #a> -> tensor<128xf32, #b>
    %1 = cta.map %v : (tensor<128xf32, #a>) -> tensor<128xf32, #a> {
    ^bb0(%e: f32):
      cta.yield %e : f32
    }
    scf.yield %1 : tensor<128xf32, #a>
  }
  return %r : tensor<128xf32, #a>
}

// A barrier of the program itself is enough.
// CHECK-LABEL: func.func @own_barrier(
func.func @own_barrier(%x: tensor<128xf32, #a>, %c: i1) -> tensor<128xf32, #b> attributes {cta.num_warps = 2 : i32} {
  // CHECK: scf.if
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  // CHECK: gpu.barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 512 : i64
  // CHECK-NOT: gpu.barrier
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  scf.if %c {
    %0 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    scf.yield
  }
  gpu.barrier
  scf.if %c {
    %0 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    scf.yield
  }
  %r = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  return %r : tensor<128xf32, #b>
}

// What only renames registers exchanges nothing.
// CHECK-LABEL: func.func @registers(
// CHECK-SAME: cta.shared = 0 : i64
#c = #cta.layout<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#d = #cta.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = []>
func.func @registers(%x: tensor<128xf32, #c>) -> tensor<128xf32, #d> attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: cta.shared_offset
  // CHECK: return
  %0 = cta.convert_layout %x : tensor<128xf32, #c> -> tensor<128xf32, #d>
  return %0 : tensor<128xf32, #d>
}

// Operands of a reduction lie one after the other; the second begins where 16
// bytes at once may be read, though the first ends before: 4 warps times 1 byte.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME: cta.shared = 32 : i64
#w = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#s = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[], []]>
func.func @operands(%x: tensor<128xi8, #w>, %i: tensor<128xi32, #w>) -> (tensor<i8, #s>, tensor<i32, #s>) attributes {cta.num_warps = 4 : i32} {
  %0:2 = cta.reduce %x, %i axis 0 : (tensor<128xi8, #w>, tensor<128xi32, #w>) -> (tensor<i8, #s>, tensor<i32, #s>) {
  ^bb0(%a: i8, %j: i32, %b: i8, %k: i32):
    cta.yield %a, %j : i8, i32
  }
  return %0#0, %0#1 : tensor<i8, #s>, tensor<i32, #s>
}

// A buffer keeps its place until its last use; what comes later may have it. What
// is written is read behind a barrier, and written over behind another.
#flat = #cta.shared<[[1], [2], [4], [8], [16], [32], [64]]>
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: cta.shared = 1024 : i64
func.func @buffers(%x: tensor<128xf32, #a>) -> tensor<128xf32, #b> attributes {cta.num_warps = 2 : i32} {
  // CHECK: cta.alloc {cta.shared_offset = 0 : i64}
  // CHECK: cta.alloc {cta.shared_offset = 512 : i64}
  // CHECK: cta.write
  // CHECK-NEXT: cta.write
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: cta.read
  // CHECK-NEXT: cta.read
  // CHECK: gpu.barrier
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  %zero = arith.constant 0 : i32
  %first = cta.alloc : !cta.buffer<1, 128xf32, #flat>
  %second = cta.alloc : !cta.buffer<1, 128xf32, #flat>
  cta.write %x to %first[%zero] : tensor<128xf32, #a> to !cta.buffer<1, 128xf32, #flat>
  cta.write %x to %second[%zero] : tensor<128xf32, #a> to !cta.buffer<1, 128xf32, #flat>
  %0 = cta.read %first[%zero] [0] : !cta.buffer<1, 128xf32, #flat> -> tensor<128xf32, #a>
  %1 = cta.read %second[%zero] [0] : !cta.buffer<1, 128xf32, #flat> -> tensor<128xf32, #a>
  %2 = arith.addf %0, %1 : tensor<128xf32, #a>
  %3 = cta.convert_layout %2 : tensor<128xf32, #a> -> tensor<128xf32, #b>
  return %3 : tensor<128xf32, #b>
}

// What a product that goes on reads, no barrier keeps: copies to other slots follow it without one.
#sum = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#left = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#k = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
#n = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>
#turned = #cta.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#sum2 = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: func.func @going_on(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @going_on(%p: memref<*xf16>, %x: tensor<64x16xf32, #sum>, %n: i32, %more: i1) -> tensor<64x16xf32, #sum> attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : i64
  %ring = cta.alloc {alignment = 1024 : i64} : <2, 64x32xf16, #k>
  %right = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  %r = scf.for %k = %zero to %n step %one iter_args(%v = %x) -> (tensor<64x16xf32, #sum>) : i32 {
    cta.wait 0
    %d = cta.dot %ring[%zero], %right[%zero], %v goes_on : !cta.buffer<2, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #sum> by #cta.wgmma<m64n16k16>
    cta.copy to %ring[%one] if %more : !cta.buffer<2, 64x32xf16, #k> {
      %0 = tts.load %p[%at] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #left>
      cta.yield %0 : tensor<64x32xf16, #left>
    }
    cta.commit
    %e = cta.wait_dot %d but 1 : tensor<64x16xf32, #sum>
    scf.yield %e : tensor<64x16xf32, #sum>
  }
  return %r : tensor<64x16xf32, #sum>
}

// The wait for such a product is that of one group of warps alone: in its operands' place, nobody writes before all are
// there once more.
// CHECK-LABEL: func.func @going_on_elsewhere(
// CHECK: cta.alloc {{.*}}cta.shared_offset = 0 : i64
// CHECK: cta.dot
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.wait_dot
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
func.func @going_on_elsewhere(%x: tensor<64x16xf32, #sum>, %y: tensor<64x32xf16, #left>, %z: tensor<32x16xf16, #turned>) -> tensor<64x16xf32, #sum2> attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %a = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #k>
  %b = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  cta.write %y to %a[%zero] fenced : tensor<64x32xf16, #left> to <1, 64x32xf16, #k>
  cta.write %z to %b[%zero] fenced : tensor<32x16xf16, #turned> to <1, 32x16xf16, #n>
  %d = cta.dot %a[%zero], %b[%zero], %x goes_on : !cta.buffer<1, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #sum> by #cta.wgmma<m64n16k16>
  gpu.barrier
  %e = cta.wait_dot %d : tensor<64x16xf32, #sum>
  %f = cta.convert_layout %e : tensor<64x16xf32, #sum> -> tensor<64x16xf32, #sum2>
  return %f : tensor<64x16xf32, #sum2>
}

// Copies are waited for: the wait is the only barrier. A ring that a loop reads
// is needed until the loop ends.
// CHECK-LABEL: func.func @ring(
// CHECK-SAME: cta.shared = 1536 : i64
func.func @ring(%p: memref<*xf32>, %x: tensor<128xf32, #a>, %n: i32, %more: i1) -> tensor<128xf32, #a> attributes {cta.num_warps = 2 : i32} {
  // CHECK: cta.alloc {cta.shared_offset = 0 : i64} : <2,
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.for
  // CHECK-NEXT: cta.wait
  // CHECK-NOT: gpu.barrier
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 1024 : i64
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : i64
  %ring = cta.alloc : !cta.buffer<2, 128xf32, #flat>
  cta.copy to %ring[%zero] if %more : !cta.buffer<2, 128xf32, #flat> {
    %0 = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
    cta.yield %0 : tensor<128xf32, #a>
  }
  cta.commit
  %r = scf.for %k = %zero to %n step %one iter_args(%v = %x) -> (tensor<128xf32, #a>) : i32 {
    cta.wait 0
    cta.copy to %ring[%one] if %more : !cta.buffer<2, 128xf32, #flat> {
      %0 = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
      cta.yield %0 : tensor<128xf32, #a>
    }
    cta.commit
    %1 = cta.read %ring[%zero] [0] : !cta.buffer<2, 128xf32, #flat> -> tensor<128xf32, #b>
    %2 = cta.convert_layout %1 : tensor<128xf32, #b> -> tensor<128xf32, #a>
    scf.yield %2 : tensor<128xf32, #a>
  }
  cta.wait 0
  return %r : tensor<128xf32, #a>
}

// What is made before warps part is needed until they have ended: nothing of the others lies there. They have met when
// they part, so that nobody waits once more for the barriers; among themselves they wait as ever.
// CHECK-LABEL: func.func @parted(
// CHECK: cta.alloc {cta.shared_offset = 0 : i64} : <2,
// CHECK: cta.mbarriers arrivals 1 {cta.shared_offset = [[AT:[0-9]+]] : i64}
// CHECK-NOT: gpu.barrier
// CHECK: } consumers {
// CHECK-NOT: gpu.barrier
// CHECK: cta.wait_mbarrier
// CHECK: cta.alloc {cta.shared_offset = 1024 : i64}
// CHECK-NOT: gpu.barrier
// CHECK: cta.write
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.read
func.func @parted(%x: tensor<128xf32, #a>, %phase: i32) attributes {cta.num_warps = 2 : i32, cta.producer_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %ring = cta.alloc : !cta.buffer<2, 128xf32, #flat>
  %full = cta.mbarriers arrivals 1 : !cta.mbarriers<2>
  cta.specialize producer {
    cta.wait_mbarrier %full[%zero] phase %phase : !cta.mbarriers<2>
  } consumers {
    cta.wait_mbarrier %full[%zero] phase %phase : !cta.mbarriers<2>
    %buffer = cta.alloc : !cta.buffer<1, 128xf32, #flat>
    cta.write %x to %buffer[%zero] : tensor<128xf32, #a> to !cta.buffer<1, 128xf32, #flat>
    %y = cta.read %buffer[%zero] [0] : !cta.buffer<1, 128xf32, #flat> -> tensor<128xf32, #b>
    %z = cta.read %ring[%zero] [0] : !cta.buffer<2, 128xf32, #flat> -> tensor<128xf32, #b>
    cta.arrive %full[%zero] if %true : !cta.mbarriers<2>
  }
  return
}

// A branch that is taken in place of the one in which others fill the ring has its place.
// CHECK-LABEL: func.func @either(
// CHECK-SAME: cta.shared = 1040 : i64
// CHECK: cta.alloc {cta.shared_offset = 0 : i64} : <2,
// CHECK: } else {
// CHECK: cta.alloc {cta.shared_offset = 0 : i64} : <1,
func.func @either(%x: tensor<128xf32, #a>, %phase: i32, %which: i1) attributes {cta.num_warps = 2 : i32, cta.producer_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %ring = cta.alloc : !cta.buffer<2, 128xf32, #flat>
  %full = cta.mbarriers arrivals 1 : !cta.mbarriers<2>
  cta.specialize producer {
    scf.if %which {
      cta.wait_mbarrier %full[%zero] phase %phase : !cta.mbarriers<2>
      cta.write %x to %ring[%zero] : tensor<128xf32, #a> to !cta.buffer<2, 128xf32, #flat>
    }
  } consumers {
    scf.if %which {
      %y = cta.read %ring[%zero] [0] : !cta.buffer<2, 128xf32, #flat> -> tensor<128xf32, #b>
    } else {
      %buffer = cta.alloc : !cta.buffer<1, 128xf32, #flat>
      cta.write %x to %buffer[%zero] : tensor<128xf32, #a> to !cta.buffer<1, 128xf32, #flat>
      %y = cta.read %buffer[%zero] [0] : !cta.buffer<1, 128xf32, #flat> -> tensor<128xf32, #b>
    }
  }
  return
}

// An exchange of the other branch follows none: its place need not be another one.
// CHECK-LABEL: func.func @exchange_in_either(
// CHECK-SAME: cta.shared = 512 : i64
func.func @exchange_in_either(%x: tensor<128xf32, #a>, %which: i1) attributes {cta.num_warps = 2 : i32} {
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  // CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  %0 = scf.if %which -> (tensor<128xf32, #b>) {
    %1 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    scf.yield %1 : tensor<128xf32, #b>
  } else {
    %1 = cta.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    scf.yield %1 : tensor<128xf32, #b>
  }
  return
}
