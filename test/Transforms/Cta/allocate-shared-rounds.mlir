// A tile for which there is no room goes from thread to thread in rounds, which are told apart by what registers alone hold on both sides.
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=CODE

#a = #cta.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1], [2], [4], [8], [16], [32], [64], [128]], lane = [[256], [512], [1024], [2048], [4096]], warp = [[8192]]>

// The larger one in two rounds; the other has room enough.
// CHECK-LABEL: func.func @exchanges(
// CHECK-SAME: cta.shared = 65536 : i64
// CHECK: cta.convert_layout {{.*}} {cta.shared_offset = 0 : i64} : tensor<16384xf32
// CHECK: gpu.barrier
// CHECK: cta.convert_layout {{.*}} {cta.rounds = 1 : i64, cta.shared_offset = 0 : i64} : tensor<16384xf64
// One barrier in the first tile, one in front of the next one, and three in its two rounds.
// CODE-LABEL: gpu.func @exchanges(
// CODE: nvvm.barrier
// CODE: gpu.barrier
// CODE-COUNT-3: nvvm.barrier
// CODE-NOT: nvvm.barrier
// CODE: gpu.return
func.func @exchanges(%p: memref<*xf64>, %q: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_86">} {
  %zero = arith.constant 0 : i64
  %h = tts.load %q[%zero] strides [1] : memref<*xf32> -> tensor<16384xf32, #a>
  %v = tts.load %p[%zero] strides [1] : memref<*xf64> -> tensor<16384xf64, #a>
  %0 = cta.convert_layout %h : tensor<16384xf32, #a> -> tensor<16384xf32, #b>
  %1 = cta.convert_layout %v : tensor<16384xf64, #a> -> tensor<16384xf64, #b>
  tts.store %0 to %q[%zero] strides [1] : tensor<16384xf32, #b>, memref<*xf32>
  tts.store %1 to %p[%zero] strides [1] : tensor<16384xf64, #b>, memref<*xf64>
  return
}
