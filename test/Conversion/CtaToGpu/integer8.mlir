// Words of bytes become floats of 16 bits below the exponent of a power of two.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s

#l = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#one = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// From 1024 on, an f16 counts by ones.
// CHECK-LABEL: gpu.func @halves(
// CHECK:         %[[SIGN:.*]] = arith.constant -2139062144 : i32
// CHECK:         arith.xori %{{.*}}, %[[SIGN]] : i32
// CHECK:         %[[FIRST:.*]] = vector.shuffle %[[BYTES:.*]], %[[UPPER:.*]] [0, 4, 1, 4] : vector<4xi8>, vector<4xi8>
// CHECK:         %[[LARGE:.*]] = vector.bitcast %[[FIRST]] : vector<4xi8> to vector<2xf16>
// CHECK:         %[[BIAS:.*]] = arith.constant dense<1.152000e+03> : vector<2xf16>
// CHECK:         arith.subf %[[LARGE]], %[[BIAS]] : vector<2xf16>
// CHECK:         vector.shuffle %[[BYTES]], %{{.*}} [2, 4, 3, 4]
// CHECK-NOT:     arith.sitofp
// CHECK:         gpu.return
func.func @halves(%x: memref<*xi8>, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<128xi8, #l>
  %b = arith.sitofp %a : tensor<128xi8, #l> to tensor<128xf16, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<128xf16, #l>, memref<*xf16>
  return
}

// Unsigned ones are 1024 too large, and nothing else.
// CHECK-LABEL: gpu.func @unsigned_halves(
// CHECK:         arith.constant dense<1.024000e+03> : vector<2xf16>
// CHECK-NOT:     arith.xori
// CHECK:         gpu.return
func.func @unsigned_halves(%x: memref<*xi8>, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<128xi8, #l>
  %b = arith.uitofp %a : tensor<128xi8, #l> to tensor<128xf16, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<128xf16, #l>, memref<*xf16>
  return
}

// A bf16 has seven bits below its exponent: the eighth is what to subtract.
// CHECK-LABEL: gpu.func @bfloats(
// CHECK:         vector.shuffle %{{.*}} [0, 4, 1, 4]
// CHECK:         arith.constant 8388736 : i32
// CHECK:         arith.constant 1124090624 : i32
// CHECK:         arith.constant 8323199 : i32
// CHECK:         arith.constant 1124090624 : i32
// CHECK:         arith.constant dense<-1.000000e+00> : vector<2xbf16>
// CHECK:         math.fma %{{.*}} : vector<2xbf16>
// CHECK:         gpu.return
func.func @bfloats(%x: memref<*xi8>, %o: memref<*xbf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<128xi8, #l>
  %b = arith.sitofp %a : tensor<128xi8, #l> to tensor<128xbf16, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<128xbf16, #l>, memref<*xbf16>
  return
}

// No whole word: one by one.
// CHECK-LABEL: gpu.func @one(
// CHECK:         arith.sitofp
func.func @one(%x: memref<*xi8>, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xi8> -> tensor<32xi8, #one>
  %b = arith.sitofp %a : tensor<32xi8, #one> to tensor<32xf16, #one>
  tts.store %b to %o[%c0] strides [1] : tensor<32xf16, #one>, memref<*xf16>
  return
}
