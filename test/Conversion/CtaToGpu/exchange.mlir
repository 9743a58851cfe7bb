// What other threads hold goes through shared memory: write, wait, read.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#rows = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#pairs = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#swapped = #cta.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>
#straight = #cta.layout<register = [[64], [1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Two elements per thread are written one by one, 64 apart, and read as a pair.
// CHECK-LABEL: gpu.func @convert(
func.func @convert(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 4 : i64} : vector<1xf32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #rows>
  %c = cta.convert_layout %v : tensor<128xf32, #rows> -> tensor<128xf32, #pairs>
  tts.store %c to %p[%zero] strides [1] : tensor<128xf32, #pairs>, memref<*xf32>
  return
}

// Where each thread holds what it needs, registers change places.
// CHECK-LABEL: gpu.func @registers(
func.func @registers(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: nvvm.barrier
  // CHECK: vector.shuffle {{.*}} [0, 2, 1, 3]
  // CHECK-NOT: nvvm.barrier
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #straight>
  %c = cta.convert_layout %v : tensor<128xf32, #straight> -> tensor<128xf32, #swapped>
  tts.store %c to %p[%zero] strides [1] : tensor<128xf32, #swapped>, memref<*xf32>
  return
}

// Where each warp holds what it needs, lanes exchange it without shared memory.
#turned = #cta.layout<register = [[64]], lane = [[16], [1], [2], [4], [8]], warp = [[32]]>
// CHECK-LABEL: gpu.func @lanes(
// CHECK-SAME: cta.shared = 0 : i64
func.func @lanes(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK-NOT: nvvm.barrier
  // CHECK: %[[FIRST:.*]] = nvvm.shfl.sync idx {{.*}}, %[[LANE:.*]], %{{.*}} : i32 -> i32
  // CHECK: nvvm.shfl.sync idx {{.*}}, %[[LANE]], %{{.*}} : i32 -> i32
  // CHECK-NOT: nvvm.barrier
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #rows>
  %c = cta.convert_layout %v : tensor<128xf32, #rows> -> tensor<128xf32, #turned>
  tts.store %c to %p[%zero] strides [1] : tensor<128xf32, #turned>, memref<*xf32>
  return
}

// Where half of the lanes need other registers than the other half, each gives two words in turn, and puts together what comes.
#sums = #cta.layout<register = [[1], [8]], lane = [[2], [4], [16], [32], [64]], warp = [[128]]>
#operand = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
// CHECK-LABEL: gpu.func @words(
// CHECK-SAME: cta.shared = 0 : i64
func.func @words(%p: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK-NOT: nvvm.barrier
  // CHECK: %[[GIVEN:.*]] = arith.select %[[GIVES:.*]], %[[B:.*]], %[[A:.*]] : i32
  // CHECK: %[[EARLY:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[GIVEN]], %[[LANE:.*]], %{{.*}} : i32 -> i32
  // CHECK: %[[LATER:.*]] = arith.select %[[GIVES]], %[[A]], %[[B]] : i32
  // CHECK: %[[OTHER:.*]] = arith.xori %[[LANE]], %c1_i32
  // CHECK: %[[LATE:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[LATER]], %[[OTHER]], %{{.*}} : i32 -> i32
  // CHECK: %[[LOWER:.*]] = arith.select %[[ODD:.*]], %c4180_i32, %c21520_i32 : i32
  // CHECK: nvvm.prmt <default> %[[LOWER]], %[[EARLY]], %[[LATE]]
  // CHECK: %[[UPPER:.*]] = arith.select %[[ODD]], %c12918_i32, %c30258_i32 : i32
  // CHECK: nvvm.prmt <default> %[[UPPER]], %[[EARLY]], %[[LATE]]
  // CHECK-NOT: nvvm.barrier
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf16> -> tensor<256xf16, #sums>
  %c = cta.convert_layout %v : tensor<256xf16, #sums> -> tensor<256xf16, #operand>
  tts.store %c to %p[%zero] strides [1] : tensor<256xf16, #operand>, memref<*xf16>
  return
}

// An index is cut to the size of the tile: no read leaves it.
// CHECK-LABEL: gpu.func @lookup(
#one = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
func.func @lookup(%p: memref<*xf32>, %q: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 2 : i32} {
  // CHECK: nvvm.barrier
  // CHECK: %[[CUT:.*]] = arith.andi %{{.*}}, %c127_i32
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[CUT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // CHECK: llvm.load %[[PLACE]] : !llvm.ptr<3> -> f32
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #rows>
  %i = tts.load %q[%zero] strides [1] : memref<*xi32> -> tensor<32xi32, #one>
  %c = cta.lookup %v[%i : tensor<32xi32, #one>] : tensor<128xf32, #rows> -> tensor<32xf32, #one>
  tts.store %c to %p[%zero] strides [1] : tensor<32xf32, #one>, memref<*xf32>
  return
}
