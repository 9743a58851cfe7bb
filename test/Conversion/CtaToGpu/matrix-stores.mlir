// A warp writes matrices at once on GPUs that have stmatrix: four of 8x8 elements of 16 bits, as they lie or the other way.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#down = #cta.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [32, 0]]>
#across = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#rows = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>

// CHECK-LABEL: gpu.func @transposed(
// CHECK-NOT: llvm.store
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.barrier
func.func @transposed(%p: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16, #c>
  %r = cta.convert_layout %v : tensor<64x64xf16, #c> -> tensor<64x64xf16, #down>
  tts.store %r to %p[%zero] strides [64, 1] : tensor<64x64xf16, #down>, memref<*xf16>
  return
}

// To a buffer, too.
// CHECK-LABEL: gpu.func @to_buffer(
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<row>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
func.func @to_buffer(%p: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %slot = arith.constant 0 : i32
  %v = tts.load %p[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16, #c>
  %buffer = cta.alloc {alignment = 1024 : i64} : !cta.buffer<1, 64x64xf16, #rows>
  cta.write %v to %buffer[%slot] : tensor<64x64xf16, #c> to !cta.buffer<1, 64x64xf16, #rows>
  %r = cta.read %buffer[%slot] [0, 0] : !cta.buffer<1, 64x64xf16, #rows> -> tensor<64x64xf16, #across>
  tts.store %r to %p[%zero] strides [64, 1] : tensor<64x64xf16, #across>, memref<*xf16>
  return
}

// What lies in lines of threads has no such matrices; nor have other GPUs stmatrix.
// CHECK-LABEL: gpu.func @lines(
// CHECK-NOT: nvvm.stmatrix
// CHECK: llvm.store
func.func @lines(%p: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16, #across>
  %r = cta.convert_layout %v : tensor<64x64xf16, #across> -> tensor<64x64xf16, #down>
  tts.store %r to %p[%zero] strides [64, 1] : tensor<64x64xf16, #down>, memref<*xf16>
  return
}

// CHECK-LABEL: gpu.func @older(
// CHECK-NOT: nvvm.stmatrix
// CHECK: llvm.store
func.func @older(%p: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [64, 1] : memref<*xf16> -> tensor<64x64xf16, #c>
  %r = cta.convert_layout %v : tensor<64x64xf16, #c> -> tensor<64x64xf16, #down>
  tts.store %r to %p[%zero] strides [64, 1] : tensor<64x64xf16, #down>, memref<*xf16>
  return
}
