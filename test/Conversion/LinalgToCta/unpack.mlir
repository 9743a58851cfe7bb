// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

#bytes = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Loops that say they unpack floats of 4 bits are one operation, whatever they are written as.
// CHECK-LABEL: func.func @unpack
// CHECK:         cta.unpack_e2m1 %{{.*}} dim 2 : tensor<4x16xi8> -> tensor<4x16x2xbf16>
// CHECK-NOT:     arith.uitofp
func.func @unpack(%p: memref<*xi8>, %q: memref<*xbf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  %c0 = arith.constant 0 : i64
  %x = tts.load %p[%c0] strides [16, 1] : memref<*xi8> -> tensor<4x16xi8>
  %e = tensor.empty() : tensor<4x16x2xbf16>
  %y = linalg.generic {indexing_maps = [#bytes, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x16xi8>) outs(%e : tensor<4x16x2xbf16>) attrs = {tts.unpacks_e2m1 = 2 : i64} {
  ^bb0(%in: i8, %out: bf16):
    %0 = arith.uitofp %in : i8 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x16x2xbf16>
  tts.store %y to %q[%c0] strides [32, 2, 1] : tensor<4x16x2xbf16>, memref<*xbf16>
  return
}
