// Where exchanges have no room apart, they share a place, and the second waits.
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s

#a = #cta.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1], [128], [256], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>

// CHECK-LABEL: func.func @shared(
// CHECK-SAME: cta.shared = 131072 : i64
// CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
func.func @shared(%x: tensor<32768xf32, #a>) -> (tensor<32768xf32, #b>, tensor<32768xf32, #b>) attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_90a">} {
  %y = arith.negf %x : tensor<32768xf32, #a>
  %0 = cta.convert_layout %x : tensor<32768xf32, #a> -> tensor<32768xf32, #b>
  %1 = cta.convert_layout %y : tensor<32768xf32, #a> -> tensor<32768xf32, #b>
  return %0, %1 : tensor<32768xf32, #b>, tensor<32768xf32, #b>
}

// CHECK-LABEL: func.func @apart(
// CHECK-SAME: cta.shared = 131072 : i64
// CHECK: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
// CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 65536 : i64
func.func @apart(%x: tensor<32768xf16, #a>) -> (tensor<32768xf16, #b>, tensor<32768xf16, #b>) attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_90a">} {
  %y = arith.negf %x : tensor<32768xf16, #a>
  %0 = cta.convert_layout %x : tensor<32768xf16, #a> -> tensor<32768xf16, #b>
  %1 = cta.convert_layout %y : tensor<32768xf16, #a> -> tensor<32768xf16, #b>
  return %0, %1 : tensor<32768xf16, #b>, tensor<32768xf16, #b>
}
