// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s

// Rows of known length are whole vectors.
// CHECK-LABEL: func.func @whole(
// CHECK:         %[[V:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK:         vector.store %[[V]]
func.func @whole(%from: memref<4x32xf32, strided<[?, 1]>>, %to: memref<4x32xf32>) {
  memref.copy %from, %to : memref<4x32xf32, strided<[?, 1]>> to memref<4x32xf32>
  return
}

// A row of unknown length ends with a masked vector.
// CHECK-LABEL: func.func @bounded(
// CHECK:         %[[N:.*]] = memref.dim
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[LEFT:.*]] = arith.subi %[[N]], %[[I]]
// CHECK:           %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<16xi1>
// CHECK:           %[[V:.*]] = vector.maskedload %{{.*}}[%[[I]]], %[[MASK]]
// CHECK:           vector.maskedstore %{{.*}}[%[[I]]], %[[MASK]], %[[V]]
func.func @bounded(%from: memref<?xf32>, %to: memref<?xf32>) {
  memref.copy %from, %to : memref<?xf32> to memref<?xf32>
  return
}

// Columns stay for scalar loops.
// CHECK-LABEL: func.func @columns(
// CHECK:         memref.copy
func.func @columns(%from: memref<32xf32, strided<[4]>>, %to: memref<32xf32>) {
  memref.copy %from, %to : memref<32xf32, strided<[4]>> to memref<32xf32>
  return
}
