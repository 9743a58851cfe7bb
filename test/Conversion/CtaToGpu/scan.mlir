// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s --check-prefix=SHARED

// Scans go up the bits of the axis: registers, lanes, then warps.

#row = #cta.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = [[4]]>
#back = #cta.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>

// Eight elements: two per thread, two lanes, two warps. A lane takes the last
// register of the lane before; warps take the totals of blocks from shared
// memory.
// SHARED-LABEL: @forward
// SHARED-SAME:    cta.shared = 16
// CHECK-LABEL:  gpu.func @forward
// CHECK:          %[[R0:.*]] = vector.extract %{{.*}}[0]
// CHECK:          %[[R1:.*]] = vector.extract %{{.*}}[1]
// CHECK:          %[[PAIR:.*]] = arith.subi %[[R0]], %[[R1]]
// CHECK:          %[[LANE:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[PAIR]],
// CHECK:          arith.subi %[[LANE]], %[[R0]]
// CHECK:          arith.subi %[[LANE]], %[[PAIR]]
// CHECK:          llvm.store
// CHECK:          nvvm.barrier0
// CHECK:          llvm.load
// CHECK-COUNT-2:  arith.subi
// CHECK-NOT:      arith.subi
// CHECK:          gpu.return
func.func @forward(%p: memref<*xi32>, %v: i32, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 2 : i32} {
  %offsets = arith.constant dense<0> : tensor<8xi64, #row>
  %x = cta.splat %v : tensor<8xi32, #row>
  %s = cta.scan %x axis 0 : (tensor<8xi32, #row>) -> tensor<8xi32, #row> {
  ^bb0(%left: i32, %right: i32):
    %0 = arith.subi %left, %right : i32
    cta.yield %0 : i32
  }
  tts.scatter %s to %p[%offsets] : tensor<8xi32, #row>, memref<*xi32>, tensor<8xi64, #row>
  return
}

// In reverse the right neighbour comes first: what it made is the left operand.
// CHECK-LABEL:  gpu.func @reverse
// CHECK:          %[[R0:.*]] = vector.extract %{{.*}}[0]
// CHECK:          %[[R1:.*]] = vector.extract %{{.*}}[1]
// CHECK:          %[[PAIR:.*]] = arith.subi %[[R1]], %[[R0]]
// CHECK:          nvvm.shfl.sync idx %{{.*}}, %[[PAIR]],
// CHECK-NOT:      nvvm.barrier0
// CHECK:          gpu.return
func.func @reverse(%p: memref<*xi32>, %v: i32, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %offsets = arith.constant dense<0> : tensor<4xi64, #back>
  %x = cta.splat %v : tensor<4xi32, #back>
  %s = cta.scan %x axis 0 reverse : (tensor<4xi32, #back>) -> tensor<4xi32, #back> {
  ^bb0(%left: i32, %right: i32):
    %0 = arith.subi %left, %right : i32
    cta.yield %0 : i32
  }
  tts.scatter %s to %p[%offsets] : tensor<4xi32, #back>, memref<*xi32>, tensor<4xi64, #back>
  return
}
