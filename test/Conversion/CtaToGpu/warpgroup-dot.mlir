// Products of four warps: descriptors of what lies in shared memory, a fence, the instructions, a group, and a wait that all sums pass.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#k = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
#n = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>

// Two steps along K: 32 bytes further in lines of 64 bytes, 16 lines of 32 bytes further where lines run along N.
// Descriptors in units of 16 bytes: 8 lines of 64 bytes, swizzled in twos; 8 of 32 bytes, 1024 bytes a box.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: cta.shared = 5120 : i64
// CHECK-DAG: %[[KD:.*]] = arith.constant -9223371899415756800 : i64
// CHECK-DAG: %[[ND:.*]] = arith.constant -4611685949703716864 : i64
// CHECK-DAG: %[[KSTEP:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[NSTEP:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[MASK:.*]] = arith.constant 16383 : i32
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: gpu.barrier
// CHECK: arith.andi %{{.*}}, %[[MASK]] : i32
// CHECK: %[[ND0:.*]] = arith.addi %{{.*}}, %[[ND]] : i64
// CHECK: %[[B:.*]] = llvm.inline_asm "", "=l,0" %[[ND0]]
// CHECK: %[[KD0:.*]] = arith.addi %{{.*}}, %[[KD]] : i64
// CHECK: %[[A:.*]] = llvm.inline_asm "", "=l,0" %[[KD0]]
// CHECK-DAG: %[[A2:.*]] = arith.addi %[[A]], %[[KSTEP]] : i64
// CHECK-DAG: %[[B2:.*]] = arith.addi %[[B]], %[[NSTEP]] : i64
// One piece of assembly: its sums are written before the second step's descriptors are read.
// CHECK: llvm.inline_asm has_side_effects "{\0A.reg .pred p;\0Awgmma.fence.sync.aligned;\0A
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, p, 1, 1, 0, 1;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $18, $19, p, 1, 1, 0, 1;
// CHECK-SAME: "=&f,=&f,=&f,=&f,=&f,=&f,=&f,=&f,0,1,2,3,4,5,6,7,l,l,l,l"
// CHECK-SAME: , %[[A]], %[[B]], %[[A2]], %[[B2]] :
// CHECK-NOT: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
func.func @product(%p: memref<*xf16>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %left = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #k>
  %right = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
  cta.write %t to %left[%slot] fenced : tensor<64x32xf16, #rows> to !cta.buffer<1, 64x32xf16, #k>
  %z0 = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %d = cta.dot %left[%slot], %right[%slot], %z0 : !cta.buffer<1, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  tts.store %d to %o[%zero] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// A check of the compiler's own traps: a call would let no product go on.
// CHECK-LABEL: gpu.func @checked(
// CHECK-NOT: llvm.call
// CHECK: scf.if
// CHECK-NEXT: llvm.intr.trap
// CHECK-NOT: llvm.call
// CHECK: gpu.return
func.func @checked(%o: memref<*xf32>, %size: i1, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  tts.assert %size, "a size" {tts.own_check} : i1
  %left = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #k>
  %right = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  %z0 = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %d = cta.dot %left[%slot], %right[%slot], %z0 goes_on : !cta.buffer<1, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  %e = cta.wait_dot %d : tensor<64x16xf32, #c>
  tts.store %e to %o[%zero] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Two products one after the other: the first has ended when the second goes on alone.
// CHECK-LABEL: gpu.func @going_on(
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: wait_group
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[FIRST:.*]] = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;"
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: wait_group
func.func @going_on(%o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %left = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #k>
  %right = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  %z0 = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %d = cta.dot %left[%slot], %right[%slot], %z0 goes_on : !cta.buffer<1, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  %e = cta.dot %left[%slot], %right[%slot], %d goes_on : !cta.buffer<1, 64x32xf16, #k>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  %f = cta.wait_dot %e but 1 : tensor<64x16xf32, #c>
  %g = cta.wait_dot %f : tensor<64x16xf32, #c>
  tts.store %g to %o[%zero] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Bytes are moved by words, and not before what stands above.
#b = #cta.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = [[0], [0]]>
// CHECK-LABEL: gpu.func @moved(
// CHECK-COUNT-2: llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r"
func.func @moved(%o: memref<*xf8E5M2>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %a = tts.load %o[%zero] strides [1] : memref<*xf8E5M2> -> tensor<256xf8E5M2, #b>
  %b = cta.move %a : tensor<256xf8E5M2, #b>
  tts.store %b to %o[%zero] strides [1] : tensor<256xf8E5M2, #b>, memref<*xf8E5M2>
  return
}

// The left operand in registers: four words a step.
#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: gpu.func @registers(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$16, $17, $18, $19}, $20, p, 1, 1, 1;
// CHECK-SAME: {$21, $22, $23, $24}, $25, p, 1, 1, 1;{{.*}},7,r,r,r,r,l,r,r,r,r,l"
func.func @registers(%p: memref<*xf16>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %right = cta.alloc {alignment = 1024 : i64} : <1, 32x16xf16, #n>
  %t = tts.load %p[%zero] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #a>
  %z0 = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %d = cta.dot %t, %right[%slot], %z0 : tensor<64x32xf16, #a>, !cta.buffer<1, 32x16xf16, #n> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16, registers>
  tts.store %d to %o[%zero] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
