// Without tensor cores, operands go to shared memory and each thread walks along K.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 4], [0, 8], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []>
#c = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// 8x64 times 64x8: a thread reads for four steps at once, neighbours of its row and of each of its two columns; a turn
// does so eight times. Both operands lie along K, with groups of four in an order in which writers meet in no bank; the
// turn chooses the half of a row. The right operand lies behind the 2048 bytes of the left one.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: cta.shared = 4096 : i64
func.func @product(%p: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  // CHECK-COUNT-32: llvm.store %{{.*}} : vector<1xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: scf.for %[[TURN:.*]] = %c0_i32 to %c2_i32 step %c1_i32 iter_args{{.*}} -> (vector<2xi32>)
  // CHECK: %[[BIT:.*]] = arith.andi %[[TURN]], %c1_i32
  // CHECK: %[[HALF:.*]] = arith.muli %[[BIT]], %c32_i32
  // CHECK: %[[PLACE:.*]] = arith.xori %{{.*}}, %[[HALF]]
  // CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]]
  // CHECK: %[[ROW:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: %[[LEFT0:.*]] = vector.extract %[[ROW]][0]
  // CHECK: %[[LEFT1:.*]] = vector.extract %[[ROW]][1]
  // CHECK: arith.xori %{{.*}}, %[[HALF]]
  // CHECK: %[[COLUMN0:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: %[[RIGHT00:.*]] = vector.extract %[[COLUMN0]][0]
  // CHECK: %[[RIGHT10:.*]] = vector.extract %[[COLUMN0]][1]
  // CHECK: %[[COLUMN1:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: %[[RIGHT01:.*]] = vector.extract %[[COLUMN1]][0]
  // CHECK-NOT: llvm.load
  // CHECK: arith.muli %[[LEFT0]], %[[RIGHT00]] : i32
  // CHECK: arith.muli %[[LEFT0]], %[[RIGHT01]] : i32
  // CHECK: arith.muli %[[LEFT1]], %[[RIGHT10]] : i32
  // CHECK-COUNT-21: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: llvm.load
  // CHECK: scf.yield
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [64, 1] : memref<*xi32> -> tensor<8x64xi32, #a>
  %b = tts.load %p[%zero] strides [8, 1] : memref<*xi32> -> tensor<64x8xi32, #b>
  %start = arith.constant dense<0> : tensor<8x8xi32, #c>
  %d = cta.dot %a, %b, %start : tensor<8x64xi32, #a>, tensor<64x8xi32, #b> -> tensor<8x8xi32, #c>
  tts.store %d to %p[%zero] strides [8, 1] : tensor<8x8xi32, #c>, memref<*xi32>
  return
}

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 4], [8, 8]]>
#sums = #cta.layout<register = [[0, 1], [0, 2], [1, 0]], lane = [[2, 0], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>
// What lies in a slot of a buffer is read from there, and nobody waits. Reads for four steps: of the two rows along K, and of
// four rows of the right operand.
// CHECK-LABEL: gpu.func @of_buffers(
// CHECK-SAME: cta.shared = 4096 : i64
// CHECK-NOT: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK-NOT: nvvm.barrier
// CHECK: %[[BEGIN:.*]] = arith.muli %{{.*}}, %c1024_i32
// CHECK: llvm.getelementptr %{{.*}}[%[[BEGIN]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK-COUNT-24: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: gpu.return
func.func @of_buffers(%p: memref<*xf32>, %slot: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %a = cta.alloc : <2, 16x16xf32, #lines>
  %b = cta.alloc : <2, 16x16xf32, #lines>
  %start = arith.constant dense<0.0> : tensor<16x16xf32, #sums>
  %d = cta.dot %a[%slot], %b[%slot], %start : !cta.buffer<2, 16x16xf32, #lines>, !cta.buffer<2, 16x16xf32, #lines> -> tensor<16x16xf32, #sums>
  tts.store %d to %p[%zero] strides [16, 1] : tensor<16x16xf32, #sums>, memref<*xf32>
  return
}
