// Floats of 4 bits are looked up, four at once: their upper bytes, their lower bytes and their signs.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

#bytes = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#floats = #cta.layout<register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = []>
#byte = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#pair = #cta.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// CHECK-LABEL:  gpu.func @words(
// CHECK-COUNT-10: nvvm.prmt
// CHECK-NOT:      nvvm.prmt
// CHECK:          vector.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK:          gpu.return
func.func @words(%x: memref<*xi8>, %o: memref<*xbf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<128xi8, #bytes>
  %b = cta.unpack_e2m1 %a dim 1 : tensor<128xi8, #bytes> -> tensor<128x2xbf16, #floats>
  tts.store %b to %o[%c0] strides [2, 1] : tensor<128x2xbf16, #floats>, memref<*xbf16>
  return
}

// Less than a word is a part of one; an f32 is a bf16 that is widened.
// CHECK-LABEL:  gpu.func @byte(
// CHECK:          vector.shuffle %[[BYTE:.*]], %[[BYTE]] [0, 0, 0, 0] : vector<1xi8>, vector<1xi8>
// CHECK:          %[[PAIR:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [2], strides = [1]} : vector<8xbf16> to vector<2xbf16>
// CHECK:          arith.extf %[[PAIR]] : vector<2xbf16> to vector<2xf32>
func.func @byte(%x: memref<*xi8>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<32xi8, #byte>
  %b = cta.unpack_e2m1 %a dim 1 : tensor<32xi8, #byte> -> tensor<32x2xf32, #pair>
  tts.store %b to %o[%c0] strides [2, 1] : tensor<32x2xf32, #pair>, memref<*xf32>
  return
}
