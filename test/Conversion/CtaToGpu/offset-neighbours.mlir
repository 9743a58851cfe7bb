// Offsets that are computed say which neighbours lie side by side, and which are one element.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#vector = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// Rows of 96: of four neighbours, the row is one, and the columns follow each other.
// CHECK-LABEL: gpu.func @rows(
// CHECK-COUNT-1: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: gpu.return
func.func @rows(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %length = arith.constant dense<96> : tensor<128xi64, #vector>
  %i = cta.iota 0 : tensor<128xi64, #vector>
  %row = arith.divsi %i, %length : tensor<128xi64, #vector>
  %column = arith.remsi %i, %length : tensor<128xi64, #vector>
  %0 = tts.gather %p[%row] : memref<*xf32>, tensor<128xi64, #vector> -> tensor<128xf32, #vector>
  %1 = tts.gather %p[%column] : memref<*xf32>, tensor<128xi64, #vector> -> tensor<128xf32, #vector>
  %2 = arith.addf %0, %1 : tensor<128xf32, #vector>
  tts.scatter %2 to %p[%column] : tensor<128xf32, #vector>, memref<*xf32>, tensor<128xi64, #vector>
  return
}

// What may be negative is divided towards zero: one by one.
// CHECK-LABEL: gpu.func @negative(
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: gpu.return
func.func @negative(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %length = arith.constant dense<96> : tensor<128xi64, #vector>
  %shift = arith.constant dense<-32> : tensor<128xi64, #vector>
  %i = cta.iota 0 : tensor<128xi64, #vector>
  %at = arith.addi %i, %shift : tensor<128xi64, #vector>
  %row = arith.divsi %at, %length : tensor<128xi64, #vector>
  %0 = tts.gather %p[%row] : memref<*xf32>, tensor<128xi64, #vector> -> tensor<128xf32, #vector>
  %zero = arith.constant 0 : i64
  tts.store %0 to %p[%zero] strides [1] : tensor<128xf32, #vector>, memref<*xf32>
  return
}
