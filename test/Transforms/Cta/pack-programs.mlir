// Small programs of one warp share a block, if they are alone in all they do.
// RUN: triton-shared-opt %s --cta-pack-programs | FileCheck %s

#row = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#long = #cta.layout<register = [[1], [2], [128], [256]], lane = [[4], [8], [16], [32], [64]], warp = []>

// CHECK: func.func @row({{.*}}) attributes {cta.num_warps = 1 : i32, cta.programs = 4 : i32, cta.shared = 0 : i64}
func.func @row(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %v = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<128xf32, #row>
  tts.store %v to %p[%at] strides [1] : tensor<128xf32, #row>, memref<*xf32>
  return
}

// An atomic that reads nothing waits for nobody.
// CHECK: func.func @adds({{.*}}cta.programs = 4
func.func @adds(%p: memref<*xf32>, %v: tensor<128xf32, #row>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %o = cta.splat %at : tensor<128xi64, #row>
  %old = tts.atomic_rmw fadd relaxed gpu %v at %p[%o] : tensor<128xf32, #row>, memref<*xf32>, tensor<128xi64, #row>
  return
}

// CHECK: func.func @two_warps({{.*}}) attributes {cta.num_warps = 2 : i32, cta.shared = 0 : i64}
func.func @two_warps(%p: memref<*xf32>, %v: f32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 2 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  return
}

// CHECK: func.func @shared({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 128 : i64}
func.func @shared(%p: memref<*xf32>, %v: f32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 128 : i64} {
  %at = arith.extsi %x : i32 to i64
  tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  return
}

// CHECK: func.func @waits({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @waits(%p: memref<*xf32>, %v: f32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  gpu.barrier
  tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  return
}

// CHECK: func.func @loop({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @loop(%p: memref<*xf32>, %v: f32, %n: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  scf.for %i = %x to %n step %n : i32 {
    tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  }
  return
}

// 2 KiB.
// CHECK: func.func @large({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @large(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %v = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<512xf32, #long>
  tts.store %v to %p[%at] strides [1] : tensor<512xf32, #long>, memref<*xf32>
  return
}

// An atomic that reads may tell a program what another one does.
// CHECK: func.func @reads({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @reads(%p: memref<*xf32>, %v: tensor<128xf32, #row>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %o = cta.splat %at : tensor<128xi64, #row>
  %old = tts.atomic_rmw fadd relaxed gpu %v at %p[%o] : tensor<128xf32, #row>, memref<*xf32>, tensor<128xi64, #row>
  tts.store %old to %p[%at] strides [1] : tensor<128xf32, #row>, memref<*xf32>
  return
}

// An assertion is awaited by all threads of a block.
// CHECK: func.func @asserts({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @asserts(%p: memref<*xf32>, %v: f32, %c: i1, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  tts.assert %c, "no" : i1
  tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  return
}

// All programs in x would do the same.
// CHECK: func.func @along_y({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @along_y(%p: memref<*xf32>, %v: f32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %y : i32 to i64
  tts.store %v to %p[%at] strides [] : f32, memref<*xf32>
  return
}

// A swap that nobody looks at waits for nobody, a poll does.
// CHECK: func.func @swaps({{.*}}cta.programs = 4
func.func @swaps(%p: memref<*xi32>, %v: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %old = tts.atomic_cas relaxed gpu %v, %x at %p[%at] : i32, memref<*xi32>, i64
  return
}

// CHECK: func.func @polls({{.*}}) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64}
func.func @polls(%p: memref<*xi32>, %v: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %at = arith.extsi %x : i32 to i64
  %is_there = tts.atomic_poll relaxed gpu %v at %p[%at] : i32, memref<*xi32>
  return
}
