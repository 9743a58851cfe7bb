// RUN: triton-shared-opt %s --cpu-copies-to-loops | FileCheck %s

// A copy of any strides is a loop per dimension.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME:    %[[FROM:.*]]: memref<4x?xf32, strided<[?, -1]>>, %[[TO:.*]]: memref<4x?xf32>)
// CHECK:         %[[COLUMNS:.*]] = memref.dim %[[FROM]]
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %[[COLUMNS]] step
// CHECK:             %[[V:.*]] = memref.load %[[FROM]][%[[I]], %[[J]]]
// CHECK:             memref.store %[[V]], %[[TO]][%[[I]], %[[J]]]
func.func @copy(%from: memref<4x?xf32, strided<[?, -1]>>, %to: memref<4x?xf32>) {
  memref.copy %from, %to : memref<4x?xf32, strided<[?, -1]>> to memref<4x?xf32>
  return
}
