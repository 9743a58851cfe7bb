// Bytes become f16 two at a time where the GPU can do that, and by integer arithmetic elsewhere.
// RUN: split-file %s %t
// RUN: triton-shared-opt %t/new.mlir --cta-to-gpu | FileCheck %s --check-prefix=NEW
// RUN: triton-shared-opt %t/old.mlir --cta-to-gpu | FileCheck %s --check-prefix=OLD

//--- new.mlir
#l = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// NEW-LABEL: gpu.func @pairs(
// NEW: %[[PAIR:.*]] = vector.shuffle %[[BYTES:.*]], %[[BYTES]] [0, 1] : vector<2xi8>, vector<2xi8>
// NEW: %[[HALVES:.*]] = nvvm.convert.f8x2.to.f16x2 %[[PAIR]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// NEW: arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
// NEW-NOT: arith.extf {{.*}}f8
func.func @pairs(%x: memref<*xf8E4M3FN>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xf8E4M3FN> -> tensor<64xf8E4M3FN, #l>
  %b = arith.extf %a : tensor<64xf8E4M3FN, #l> to tensor<64xf32, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf32, #l>, memref<*xf32>
  return
}

// There is no conversion to bf16, but through f32 nothing is lost.
// NEW-LABEL: gpu.func @to_bfloat(
// NEW: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// NEW: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
// NEW: arith.truncf %[[WIDE]] : vector<2xf32> to vector<2xbf16>
func.func @to_bfloat(%x: memref<*xf8E5M2>, %o: memref<*xbf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xf8E5M2> -> tensor<64xf8E5M2, #l>
  %b = arith.extf %a : tensor<64xf8E5M2, #l> to tensor<64xbf16, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xbf16, #l>, memref<*xbf16>
  return
}

// They are narrowed two at a time, the first one in the lower byte, and what is too large is cut by the instruction.
// NEW-LABEL: gpu.func @narrowed(
// NEW: arith.maximumf %[[IN:.*]], %{{.*}} : vector<2xf32>
// NEW: %[[FIRST:.*]] = vector.extract %[[IN]][0] : f32 from vector<2xf32>
// NEW: %[[SECOND:.*]] = vector.extract %[[IN]][1] : f32 from vector<2xf32>
// NEW: nvvm.convert.f32x2.to.f8x2 %[[SECOND]], %[[FIRST]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
// NEW: gpu.return
func.func @narrowed(%x: memref<*xf32>, %o: memref<*xf8E4M3FN>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %low = arith.constant dense<-4.480000e+02> : tensor<64xf32, #l>
  %high = arith.constant dense<4.480000e+02> : tensor<64xf32, #l>
  %a = tts.load %x[%c0] strides [1] : memref<*xf32> -> tensor<64xf32, #l>
  %above = arith.maximumf %a, %low : tensor<64xf32, #l>
  %within = arith.minimumf %above, %high : tensor<64xf32, #l>
  %b = arith.truncf %within : tensor<64xf32, #l> to tensor<64xf8E4M3FN, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf8E4M3FN, #l>, memref<*xf8E4M3FN>
  return
}

// NEW-LABEL: gpu.func @halves(
// NEW: nvvm.convert.f16x2.to.f8x2 %{{.*}} : vector<2xf16> -> i16(f8E5M2)
func.func @halves(%x: memref<*xf16>, %o: memref<*xf8E5M2>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %low = arith.constant dense<-5.734400e+04> : tensor<64xf16, #l>
  %high = arith.constant dense<5.734400e+04> : tensor<64xf16, #l>
  %a = tts.load %x[%c0] strides [1] : memref<*xf16> -> tensor<64xf16, #l>
  %above = arith.maximumf %a, %low : tensor<64xf16, #l>
  %within = arith.minimumf %above, %high : tensor<64xf16, #l>
  %b = arith.truncf %within : tensor<64xf16, #l> to tensor<64xf8E5M2, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf8E5M2, #l>, memref<*xf8E5M2>
  return
}

// What is not cut before becomes infinity or NaN, which the instruction does not make.
// NEW-LABEL: gpu.func @beyond(
// NEW-NOT: nvvm.convert
// NEW: arith.select
// NEW: gpu.return
func.func @beyond(%x: memref<*xf32>, %o: memref<*xf8E4M3FN>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xf32> -> tensor<64xf32, #l>
  %b = arith.truncf %a : tensor<64xf32, #l> to tensor<64xf8E4M3FN, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf8E4M3FN, #l>, memref<*xf8E4M3FN>
  return
}

//--- old.mlir
#l = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// OLD-LABEL: gpu.func @pairs(
// OLD-NOT: nvvm.convert
// OLD: arith.select
// OLD-NOT: arith.extf {{.*}}f8
func.func @pairs(%x: memref<*xf8E4M3FN>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %a = tts.load %x[%c0] strides [1] : memref<*xf8E4M3FN> -> tensor<64xf8E4M3FN, #l>
  %b = arith.extf %a : tensor<64xf8E4M3FN, #l> to tensor<64xf32, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf32, #l>, memref<*xf32>
  return
}

// OLD-LABEL: gpu.func @narrowed(
// OLD-NOT: nvvm.convert
// OLD: arith.select
// OLD-NOT: arith.truncf {{.*}}f8
func.func @narrowed(%x: memref<*xf32>, %o: memref<*xf8E4M3FN>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %low = arith.constant dense<-4.480000e+02> : tensor<64xf32, #l>
  %high = arith.constant dense<4.480000e+02> : tensor<64xf32, #l>
  %a = tts.load %x[%c0] strides [1] : memref<*xf32> -> tensor<64xf32, #l>
  %above = arith.maximumf %a, %low : tensor<64xf32, #l>
  %within = arith.minimumf %above, %high : tensor<64xf32, #l>
  %b = arith.truncf %within : tensor<64xf32, #l> to tensor<64xf8E4M3FN, #l>
  tts.store %b to %o[%c0] strides [1] : tensor<64xf8E4M3FN, #l>, memref<*xf8E4M3FN>
  return
}
