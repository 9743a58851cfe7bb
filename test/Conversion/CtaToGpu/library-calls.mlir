// What arith and math cannot say is a call of the C library, which on a GPU is NVIDIA's.
// RUN: triton-shared-opt %s --linalg-to-cta --cta-assign-layouts --cta-order-accesses --cta-allocate-shared \
// RUN:   | FileCheck %s --check-prefix=CTA
// RUN: triton-shared-opt %s --linalg-to-cta --cta-assign-layouts --cta-order-accesses --cta-allocate-shared --cta-to-gpu \
// RUN:   | FileCheck %s --check-prefix=GPU

// A function without a body has no tiles.
// CTA: func.func private @hypotf(f32, f32) -> f32{{$}}
// CTA: cta.num_warps = 4 : i32

// GPU-NOT: @hypotf
// GPU:     gpu.module @kernels
// GPU:       llvm.func @__nv_hypotf(f32, f32) -> f32
// GPU:       gpu.func @lengths(
// GPU-COUNT-2: llvm.call @__nv_hypotf(%{{.*}}, %{{.*}}) : (f32, f32) -> f32

#id = affine_map<(d0) -> (d0)>

func.func private @hypotf(f32, f32) -> f32

func.func @lengths(%p: memref<*xf32>, %s: f32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32>
  %scalar = func.call @hypotf(%s, %s) : (f32, f32) -> f32
  %e = tensor.empty() : tensor<128xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = func.call @hypotf(%in, %scalar) : (f32, f32) -> f32
    linalg.yield %h : f32
  } -> tensor<128xf32>
  tts.store %l to %p[%zero] strides [1] : tensor<128xf32>, memref<*xf32>
  return
}
