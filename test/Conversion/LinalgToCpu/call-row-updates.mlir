// RUN: triton-shared-opt %s --cpu-call-row-updates --split-input-file | FileCheck %s

// A row of sums under one condition.
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[P:[^:]*]]: memref<*xf32>, %[[OFFSETS:[^:]*]]: memref<1x128xi64>, %[[VALUES:[^:]*]]: memref<1x128xf32>, %[[CONDITION:[^:]*]]: i1
// CHECK-NOT:     scf.for
// CHECK:         scf.if %[[CONDITION]] {
// CHECK:           %[[MASK:.*]] = arith.constant 0 : i64
// CHECK:           %[[FIRST:.*]] = memref.reinterpret_cast %[[P]] to offset: [0], sizes: [1], strides: [1]
// CHECK:           %[[MEMORY:.*]] = memref.extract_aligned_pointer_as_index %[[FIRST]]
// CHECK:           %[[BASE:.*]] = arith.index_cast %[[MEMORY]] : index to i64
// CHECK:           memref.extract_aligned_pointer_as_index %[[OFFSETS]]
// CHECK:           memref.extract_aligned_pointer_as_index %[[VALUES]]
// CHECK:           call @tritonSharedAddRowF32(%[[BASE]], %{{.*}}, %{{.*}}, %[[MASK]], %{{.*}})
func.func @row(%p: memref<*xf32>, %offsets: memref<1x128xi64>, %values: memref<1x128xf32>, %condition: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    scf.if %condition {
      %n = memref.load %offsets[%c0, %i] : memref<1x128xi64>
      %offset = arith.index_cast %n : i64 to index
      %x = memref.load %values[%c0, %i] : memref<1x128xf32>
      %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1], offset: ?>>
      %old = memref.atomic_rmw addf %x, %element[%c0] : (f32, memref<1xf32, strided<[1], offset: ?>>) -> f32
    }
  }
  return
}

// -----

// Rows of a block, each number under a condition of its own.
// CHECK-LABEL: func.func @masked(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-NOT:     scf.if
// CHECK:         call @tritonSharedAddRowF64
func.func @masked(%p: memref<*xf64>, %offsets: memref<4x8xi64>, %values: memref<4x8xf64>, %mask: memref<4x8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i8
  scf.for %r = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %m = memref.load %mask[%r, %i] : memref<4x8xi8>
      %is = arith.cmpi ne, %m, %zero : i8
      scf.if %is {
        %n = memref.load %offsets[%r, %i] : memref<4x8xi64>
        %offset = arith.index_cast %n : i64 to index
        %x = memref.load %values[%r, %i] : memref<4x8xf64>
        %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1] : memref<*xf64> to memref<1xf64, strided<[1], offset: ?>>
        %old = memref.atomic_rmw addf %x, %element[%c0] : (f64, memref<1xf64, strided<[1], offset: ?>>) -> f64
      }
    }
  }
  return
}

// -----

// What was there is stored.
// CHECK-LABEL: func.func @used(
// CHECK:         memref.atomic_rmw
func.func @used(%p: memref<*xf32>, %offsets: memref<8xi64>, %values: memref<8xf32>, %olds: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %n = memref.load %offsets[%i] : memref<8xi64>
    %offset = arith.index_cast %n : i64 to index
    %x = memref.load %values[%i] : memref<8xf32>
    %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1], offset: ?>>
    %old = memref.atomic_rmw addf %x, %element[%c0] : (f32, memref<1xf32, strided<[1], offset: ?>>) -> f32
    memref.store %old, %olds[%i] : memref<8xf32>
  }
  return
}

// -----

// A CPU has atomic sums of integers.
// CHECK-LABEL: func.func @integers(
// CHECK:         memref.atomic_rmw
func.func @integers(%p: memref<*xi32>, %offsets: memref<8xi64>, %values: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %n = memref.load %offsets[%i] : memref<8xi64>
    %offset = arith.index_cast %n : i64 to index
    %x = memref.load %values[%i] : memref<8xi32>
    %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1] : memref<*xi32> to memref<1xi32, strided<[1], offset: ?>>
    %old = memref.atomic_rmw addi %x, %element[%c0] : (i32, memref<1xi32, strided<[1], offset: ?>>) -> i32
  }
  return
}

// -----

// Offsets that lie apart in memory, and a number that is the same for all.
// CHECK-LABEL: func.func @columns(
// CHECK:         memref.atomic_rmw
func.func @columns(%p: memref<*xf32>, %offsets: memref<8xi64, strided<[2]>>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %n = memref.load %offsets[%i] : memref<8xi64, strided<[2]>>
    %offset = arith.index_cast %n : i64 to index
    %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1], offset: ?>>
    %old = memref.atomic_rmw addf %x, %element[%c0] : (f32, memref<1xf32, strided<[1], offset: ?>>) -> f32
  }
  return
}
