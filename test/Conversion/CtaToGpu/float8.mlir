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
