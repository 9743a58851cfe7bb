// Which types of operands and sums instructions take, and what becomes of others.
// RUN: triton-shared-opt %s --cta-choose-instructions | FileCheck %s

// 8-bit floats, of two kinds if need be. Sums that may be imprecise for longer than a tile is deep go right to the accumulator; others
// are kept apart for a while, in instructions of fewer columns.
// CHECK-LABEL: func.func @small_floats(
// CHECK: cta.dot {{.*}} imprecise 128 : {{.*}} by #cta.wgmma<m64n256k32>
// CHECK: cta.dot {{.*}} imprecise 64 : {{.*}} by #cta.wgmma<m64n32k32>
// CHECK: cta.dot {{.*}} : tensor<64x64xf8E4M3FN>, tensor<64x256xf8E5M2> -> {{.*}} by #cta.wgmma<m64n32k32>
func.func @small_floats(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x256xf8E5M2>, %c: tensor<64x256xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.dot %a, %b, %c imprecise 128 : tensor<64x64xf8E4M3FN>, tensor<64x256xf8E5M2> -> tensor<64x256xf32>
  %1 = cta.dot %a, %b, %0 imprecise 64 : tensor<64x64xf8E4M3FN>, tensor<64x256xf8E5M2> -> tensor<64x256xf32>
  %2 = cta.dot %a, %b, %1 : tensor<64x64xf8E4M3FN>, tensor<64x256xf8E5M2> -> tensor<64x256xf32>
  return
}

// Where no instruction takes them, they become f16, and their sums are exact.
// CHECK-LABEL: func.func @widened(
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : tensor<64x32xf8E4M3FN> to tensor<64x32xf16>
// CHECK: cta.dot %[[A]], %{{.*}}, %{{.*}} : tensor<64x32xf16>, {{.*}} by #cta.mma<m16n8k16, f16>
func.func @widened(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<64x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %0 = cta.dot %a, %b, %c imprecise 64 : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2> -> tensor<64x64xf32>
  return
}

// Too few along K for 8 bits are enough for 16; and of these formats tensor cores know nothing.
// CHECK-LABEL: func.func @widened_for_warpgroups(
// CHECK: cta.dot {{.*}} : tensor<64x16xf16>, {{.*}} by #cta.wgmma<m64n64k16>
// CHECK: cta.dot {{.*}} : tensor<64x64xf16>, {{.*}} by #cta.wgmma<m64n64k16>
func.func @widened_for_warpgroups(%a: tensor<64x16xf8E5M2>, %b: tensor<16x64xf8E5M2>, %d: tensor<64x64xf8E4M3FNUZ>, %c: tensor<64x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.dot %a, %b, %c : tensor<64x16xf8E5M2>, tensor<16x64xf8E5M2> -> tensor<64x64xf32>
  %1 = cta.dot %d, %d, %c : tensor<64x64xf8E4M3FNUZ>, tensor<64x64xf8E4M3FNUZ> -> tensor<64x64xf32>
  return
}

// Products that are meant to be f16 are added up so, without conversions.
// CHECK-LABEL: func.func @half_sums(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<64x64xf16>)
// CHECK: cta.dot %{{.*}}, %{{.*}}, %[[C]] : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16> by #cta.wgmma<m64n64k16>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
// CHECK: cta.dot %{{.*}}, %{{.*}}, %[[ZERO]] : tensor<64x64xf8E5M2>, tensor<64x64xf8E5M2> -> tensor<64x64xf16> by #cta.wgmma<m64n64k32>
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @half_sums(%a: tensor<64x64xf16>, %s: tensor<64x64xf8E5M2>, %c: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %wide = arith.extf %c : tensor<64x64xf16> to tensor<64x64xf32>
  %0 = cta.dot %a, %a, %wide {tts.adds_in_half} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %1 = arith.truncf %0 : tensor<64x64xf32> to tensor<64x64xf16>
  %2 = cta.dot %s, %s, %zero {tts.adds_in_half} : tensor<64x64xf8E5M2>, tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  %3 = arith.truncf %2 : tensor<64x64xf32> to tensor<64x64xf16>
  return %1, %3 : tensor<64x64xf16>, tensor<64x64xf16>
}

// Not so what is rounded afterwards, is bf16, or has another user.
// CHECK-LABEL: func.func @wide_sums(
// CHECK-COUNT-3: cta.dot {{.*}} -> tensor<64x64xf32> by #cta.wgmma<m64n64k16>{{$}}
func.func @wide_sums(%a: tensor<64x64xf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = cta.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %1 = arith.truncf %0 : tensor<64x64xf32> to tensor<64x64xf16>
  %2 = cta.dot %b, %b, %zero {tts.adds_in_half} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %3 = arith.truncf %2 : tensor<64x64xf32> to tensor<64x64xf16>
  %wide = arith.extf %c : tensor<64x64xf16> to tensor<64x64xf32>
  %4 = cta.dot %a, %a, %wide {tts.adds_in_half} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %5 = arith.truncf %4 : tensor<64x64xf32> to tensor<64x64xf16>
  return %1, %3, %5, %4 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
}

// Eight columns are enough, of a result or of what a group has of it.
// CHECK-LABEL: func.func @few_columns(
// CHECK: by #cta.wgmma<m64n8k16>
// CHECK: by #cta.wgmma<m64n8k16>
func.func @few_columns(%a: tensor<64x64xf16>, %b: tensor<64x8xf16>, %c: tensor<64x8xf32>, %d: tensor<64x16xf16>, %e: tensor<64x16xf32>)
    attributes {cta.num_warps = 8 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x8xf16> -> tensor<64x8xf32>
  %1 = cta.dot %a, %d, %e : tensor<64x64xf16>, tensor<64x16xf16> -> tensor<64x16xf32>
  return
}
