// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s
// RUN: triton-shared-opt %s --linalg-to-vector=vector-bytes=32 | FileCheck %s --check-prefix=AVX2
// RUN: triton-shared-opt %s --linalg-to-vector=vector-bytes=16 | FileCheck %s --check-prefix=SSE2

// The widest numbers, the places, say how many lanes there are.
// CHECK-LABEL: func.func @gather(
// CHECK:         %[[MASK:.*]] = arith.trunci %{{.*}} : vector<8xi8> to vector<8xi1>
// CHECK:         %[[PLACES:.*]] = vector.maskedload %{{.*}}, %[[MASK]]
// CHECK:         %[[AT:.*]] = arith.index_cast %[[PLACES]] : vector<8xi64> to vector<8xindex>
// CHECK:         %[[X:.*]] = vector.gather %{{.*}} [%[[AT]]], %[[MASK]]
// CHECK:         vector.maskedstore %{{.*}}, %[[MASK]], %[[X]]
// AVX2-LABEL: func.func @gather(
// AVX2:         vector.gather {{.*}} into vector<4xf32>
// SSE2-LABEL: func.func @gather(
// SSE2-NOT:     vector.gather
// SSE2:         return
func.func @gather(%base: memref<*xf32>, %mask: memref<128xi8>, %places: memref<128xi64>, %block: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    %byte = memref.load %mask[%i] : memref<128xi8>
    %m = arith.trunci %byte : i8 to i1
    scf.if %m {
      %p = memref.load %places[%i] : memref<128xi64>
      %at = arith.index_cast %p : i64 to index
      %view = memref.reinterpret_cast %base to offset: [%at], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1], offset: ?>>
      %x = affine.load %view[0] : memref<1xf32, strided<[1], offset: ?>>
      memref.store %x, %block[%i] : memref<128xf32>
    }
  }
  return
}

// An unknown number of iterations ends with a masked vector. AVX2 does not scatter.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[N:[^:]*]]: index)
// CHECK:         %[[LEFT:.*]] = arith.subi %[[N]]
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<8xi1>
// CHECK:         vector.maskedload %{{.*}}, %[[MASK]]
// CHECK:         vector.scatter %{{.*}} [%{{.*}}], %[[MASK]]
// AVX2-LABEL: func.func @scatter(
// AVX2-NOT:     vector.scatter
// AVX2:         return
func.func @scatter(%base: memref<*xf32>, %places: memref<128xindex>, %block: memref<128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %block[%i] : memref<128xf32>
    %at = memref.load %places[%i] : memref<128xindex>
    %view = memref.reinterpret_cast %base to offset: [%at], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1], offset: ?>>
    affine.store %x, %view[0] : memref<1xf32, strided<[1], offset: ?>>
  }
  return
}

// No CPU gathers numbers of 16 bits.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @halves(%base: memref<*xf16>, %places: memref<128xindex>, %block: memref<128xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    %at = memref.load %places[%i] : memref<128xindex>
    %view = memref.reinterpret_cast %base to offset: [%at], sizes: [1], strides: [1] : memref<*xf16> to memref<1xf16, strided<[1], offset: ?>>
    %x = affine.load %view[0] : memref<1xf16, strided<[1], offset: ?>>
    memref.store %x, %block[%i] : memref<128xf16>
  }
  return
}
