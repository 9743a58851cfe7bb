// No more warps than have a wide access to make of the largest tile, or two
// where elements are combined and one warp or more than two remain.
// RUN: triton-shared-opt %s --cta-fit-warps | FileCheck %s

// 256 of f32 are 64 accesses of 16 bytes.
// CHECK: func.func @elementwise({{.*}}) attributes {cta.num_warps = 2 : i32}
func.func @elementwise(%p: memref<*xf32>) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<256xf32>
  %y = arith.addf %x, %x : tensor<256xf32>
  tts.store %y to %p[%zero] strides [1] : tensor<256xf32>, memref<*xf32>
  return
}

// CHECK: func.func @halves({{.*}}) attributes {cta.num_warps = 1 : i32}
func.func @halves(%p: memref<*xf16>) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1] : memref<*xf16> -> tensor<256xf16>
  tts.store %x to %p[%zero] strides [1] : tensor<256xf16>, memref<*xf16>
  return
}

// CHECK: func.func @reduction({{.*}}) attributes {cta.num_warps = 1 : i32}
func.func @reduction(%p: memref<*xf32>) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<256xf32>
  %sum = cta.reduce %x axis 0 : (tensor<256xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    cta.yield %0 : f32
  }
  %s = cta.extract %sum[] : tensor<f32>
  tts.store %s to %p[%zero] strides [] : f32, memref<*xf32>
  return
}

// Two warps would meet in shared memory as four do.
// CHECK: func.func @not_two({{.*}}) attributes {cta.num_warps = 4 : i32}
func.func @not_two(%p: memref<*xf16>) attributes {cta.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1] : memref<*xf16> -> tensor<1024xf16>
  %sum = cta.reduce %x axis 0 : (tensor<1024xf16>) -> tensor<f16> {
  ^bb0(%a: f16, %b: f16):
    %0 = arith.addf %a, %b : f16
    cta.yield %0 : f16
  }
  %s = cta.extract %sum[] : tensor<f16>
  tts.store %s to %p[%zero] strides [] : f16, memref<*xf16>
  return
}

// What is computed may be larger than what is accessed.
// CHECK: func.func @outer({{.*}}) attributes {cta.num_warps = 4 : i32}
func.func @outer(%p: memref<*xf32>) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1, 1] : memref<*xf32> -> tensor<64x1xf32>
  %y = cta.broadcast %x : tensor<64x1xf32> -> tensor<64x64xf32>
  %z = cta.reshape %y : tensor<64x64xf32> -> tensor<4096xf32>
  return
}

// The number of warps never grows.
// CHECK: func.func @large({{.*}}) attributes {cta.num_warps = 2 : i32}
func.func @large(%p: memref<*xf32>) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i64
  %x = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<4096xf32>
  tts.store %x to %p[%zero] strides [1] : tensor<4096xf32>, memref<*xf32>
  return
}

// A program of scalars is one warp.
// CHECK: func.func @scalars({{.*}}) attributes {cta.num_warps = 1 : i32}
func.func @scalars(%p: memref<*xf32>, %v: f32) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  tts.store %v to %p[%zero] strides [] : f32, memref<*xf32>
  return
}

// CHECK: func.func @product({{.*}}) attributes {cta.num_warps = 4 : i32}
func.func @product(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) attributes {cta.num_warps = 4 : i32} {
  %0 = cta.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// The grid has as many programs of four warps as there is room for.
// CHECK: func.func @shared_out({{.*}}) attributes {cta.num_warps = 4 : i32}
func.func @shared_out(%p: memref<*xf32>, %rows: i32, %size: i32 {tts.parameter = "grid.x"}, %number: i32 {tts.parameter = "program.x"}) attributes {cta.num_warps = 4 : i32} {
  %block = arith.constant 256 : i32
  %first = arith.muli %number, %block : i32
  %step = arith.muli %size, %block : i32
  scf.for %row = %first to %rows step %step : i32 {
    %at = arith.extsi %row : i32 to i64
    %x = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<256xf32>
    tts.store %x to %p[%at] strides [1] : tensor<256xf32>, memref<*xf32>
  }
  return
}
