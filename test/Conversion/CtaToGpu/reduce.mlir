// Reductions combine registers, then lanes, then warps; in order where it matters.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

// A sum needs no order: the two registers first, then one shuffle per bit of the
// lane, then the two warps through shared memory.
// CHECK-LABEL: gpu.func @any_order(
#a = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#s = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[]]>
func.func @any_order(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK: arith.addf
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: arith.addf
  // CHECK-NOT: arith.addf
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %0 = cta.reduce %v axis 0 : (tensor<128xf32, #a>) -> tensor<f32, #s> {
  ^bb0(%l: f32, %r: f32):
    %n = arith.addf %l, %r : f32
    cta.yield %n : f32
  }
  %k = arith.constant 0 : index
  %e = cta.extract %0[] : tensor<f32, #s>
  tts.store %e to %p[%zero] strides [] : f32, memref<*xf32>
  return
}

// The parts of the turn before may still be read: that is waited for when a thread has its own
// part.
// CHECK-LABEL: gpu.func @turns(
func.func @turns(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK: scf.for
  // CHECK-NOT: nvvm.barrier
  // CHECK: arith.addf
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: nvvm.barrier
  // CHECK: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load
  %zero = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %first to %gx step %one : i32 {
    %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
    %0 = cta.reduce %v axis 0 : (tensor<128xf32, #a>) -> tensor<f32, #s> {
    ^bb0(%l: f32, %r: f32):
      %n = arith.addf %l, %r : f32
      cta.yield %n : f32
    }
    %e = cta.extract %0[] : tensor<f32, #s>
    tts.store %e to %p[%zero] strides [] : f32, memref<*xf32>
  }
  return
}

// Neighbours lie in other warps here, and lanes 2 to 32 apart: warps come first,
// and each lane puts its left operand on the left.
// CHECK-LABEL: gpu.func @in_order(
#b = #cta.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]]>
func.func @in_order(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
  // CHECK: arith.subi
  // CHECK: nvvm.shfl.sync bfly
  // CHECK-COUNT-2: arith.select
  // CHECK: arith.subi
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xi32> -> tensor<64xi32, #b>
  %0 = cta.reduce %v axis 0 : (tensor<64xi32, #b>) -> tensor<i32, #s> {
  ^bb0(%l: i32, %r: i32):
    %n = arith.subi %l, %r : i32
    cta.yield %n : i32
  }
  %e = cta.extract %0[] : tensor<i32, #s>
  tts.store %e to %p[%zero] strides [] : i32, memref<*xi32>
  return
}

// Each lane reads what one of eight warps has written, and the lanes go on from there.
// CHECK-LABEL: gpu.func @many_warps(
#c = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]]>
#t = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[], [], []]>
func.func @many_warps(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 8 : i32} {
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xf32>
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<256xf32, #c>
  %0 = cta.reduce %v axis 0 : (tensor<256xf32, #c>) -> tensor<f32, #t> {
  ^bb0(%l: f32, %r: f32):
    %n = arith.addf %l, %r : f32
    cta.yield %n : f32
  }
  %e = cta.extract %0[] : tensor<f32, #t>
  tts.store %e to %p[%zero] strides [] : f32, memref<*xf32>
  return
}

// Products are added to four sums one after the other, which meet at the end: the order is that of the registers.
// CHECK-LABEL: gpu.func @products(
#many = #cta.layout<register = [[1], [2], [128], [256]], lane = [[4], [8], [16], [32], [64]], warp = []>
#sum = #cta.layout<register = [], lane = [[], [], [], [], []], warp = []>
func.func @products(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  // CHECK: %[[ALL:.*]] = arith.mulf
  // CHECK-DAG: %[[V0:.*]] = vector.extract %[[ALL]][0]
  // CHECK-DAG: %[[V4:.*]] = vector.extract %[[ALL]][4]
  // CHECK-DAG: %[[V8:.*]] = vector.extract %[[ALL]][8]
  // CHECK-DAG: %[[V12:.*]] = vector.extract %[[ALL]][12]
  // CHECK: %[[S1:.*]] = arith.addf %[[V0]], %[[V4]]
  // CHECK-NEXT: %[[S2:.*]] = arith.addf %[[S1]], %[[V8]]
  // CHECK-NEXT: %[[S3:.*]] = arith.addf %[[S2]], %[[V12]]
  // CHECK-COUNT-12: arith.addf
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<512xf32, #many>
  %square = arith.mulf %v, %v : tensor<512xf32, #many>
  %0 = cta.reduce %square axis 0 : (tensor<512xf32, #many>) -> tensor<f32, #sum> {
  ^bb0(%l: f32, %r: f32):
    %n = arith.addf %l, %r : f32
    cta.yield %n : f32
  }
  %e = cta.extract %0[] : tensor<f32, #sum>
  tts.store %e to %p[%zero] strides [] : f32, memref<*xf32>
  return
}
