// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s

// Lanes are combined with those 1, 2, 4 and 8 places before them; what came before the vector is
// carried as a scalar.
// CHECK-LABEL: func.func @sum(
// CHECK:         %[[FIRST:.*]] = vector.load %{{.*}} vector<16xf32>
// CHECK-COUNT-4: vector.shuffle
// CHECK-NOT:     vector.shuffle
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = {{.*}}) -> (f32)
// CHECK-COUNT-4:   vector.shuffle
// CHECK:           %[[BEFORE:.*]] = vector.broadcast %[[SUM]]
// CHECK:           arith.addf %[[BEFORE]], %{{.*}} : vector<16xf32>
// CHECK:           vector.store
// CHECK:           arith.addf %[[SUM]], %{{.*}} : f32
func.func @sum(%x: memref<64xf32>, %out: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = memref.load %x[%c0] : memref<64xf32>
  memref.store %first, %out[%c0] : memref<64xf32>
  %last = scf.for %i = %c1 to %c64 step %c1 iter_args(%sum = %first) -> (f32) {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.addf %sum, %v : f32
    memref.store %next, %out[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  return %last : f32
}

// The order matters to a difference.
// CHECK-LABEL: func.func @differences(
// CHECK-NOT:     vector.shuffle
// CHECK:         return
func.func @differences(%x: memref<64xf32>, %out: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = memref.load %x[%c0] : memref<64xf32>
  %last = scf.for %i = %c1 to %c64 step %c1 iter_args(%sum = %first) -> (f32) {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.subf %sum, %v : f32
    memref.store %next, %out[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  return %last : f32
}
