// Accesses of vectors that lie in pieces become loops; where there are none, nothing is looked at.

// RUN: triton-shared-opt %s --vector-transfers-to-loops --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<8xf32>
// CHECK-NOT: vector<4x8xf32>, memref
func.func @rows(%memory: memref<?x?xf32, strided<[?, 1]>>, %to: memref<?x?xf32, strided<[?, 1]>>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %v = vector.transfer_read %memory[%zero, %zero], %none {in_bounds = [true, true]} : memref<?x?xf32, strided<[?, 1]>>, vector<4x8xf32>
  vector.transfer_write %v, %to[%zero, %zero] {in_bounds = [true, true]} : vector<4x8xf32>, memref<?x?xf32, strided<[?, 1]>>
  return
}

// -----

// A sum that folding would leave out is still there.
// CHECK-LABEL: func.func @one_piece(
// CHECK-NOT: scf.for
// CHECK: arith.addi
// CHECK: vector.transfer_read {{.*}} vector<8xf32>
func.func @one_piece(%memory: memref<?xf32>) -> vector<8xf32> {
  %zero = arith.constant 0 : index
  %at = arith.addi %zero, %zero : index
  %none = arith.constant 0.0 : f32
  %v = vector.transfer_read %memory[%at], %none {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  return %v : vector<8xf32>
}

// -----

// Elements that do not lie side by side.
// CHECK-LABEL: func.func @strided(
// CHECK: scf.for
// CHECK: memref.load
func.func @strided(%memory: memref<?xf32, strided<[?]>>) -> vector<8xf32> {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %v = vector.transfer_read %memory[%zero], %none {in_bounds = [true]} : memref<?xf32, strided<[?]>>, vector<8xf32>
  return %v : vector<8xf32>
}
