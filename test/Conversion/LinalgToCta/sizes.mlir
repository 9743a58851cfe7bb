// A number that was taken for a size is checked before anything is done.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[P:.*]]: memref<*xf32>, %[[N:.*]]: i32)
func.func @argument(%p: memref<*xf32>, %n: i32 {tts.size}) {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi sge, %[[N]], %[[ZERO]] : i32
  // CHECK-NEXT: tts.assert %[[HOLDS]], "an index is divided by a negative number
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: func.func @computed(
func.func @computed(%p: memref<*xi32>, %n: i32) {
  %zero = arith.constant 0 : i64
  // CHECK: %[[TWICE:.*]] = arith.addi
  // CHECK-NOT: tts.size
  // CHECK: arith.cmpi sge, %[[TWICE]],
  // CHECK-NEXT: tts.assert
  // CHECK: tts.store
  %twice = arith.addi %n, %n {tts.size} : i32
  tts.store %twice to %p[%zero] strides [] : i32, memref<*xi32>
  return
}
