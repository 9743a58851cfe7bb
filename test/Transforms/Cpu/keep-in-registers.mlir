// RUN: triton-shared-opt %s --cpu-keep-in-registers=bytes=256 | FileCheck %s

// A small buffer is a variable of the kernel, also where a loop makes it.
// CHECK-LABEL: func.func @small(
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK-DAG:     memref.alloca() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @small(%n: index, %x: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.alloc() : memref<8x8xf32>
    vector.store %x, %sum[%c0] : memref<64xf32>, vector<16xf32>
    %flat = memref.collapse_shape %part [[0, 1]] : memref<8x8xf32> into memref<64xf32>
    memref.copy %sum, %flat : memref<64xf32> to memref<64xf32>
  }
  return
}

// Registers do not hold a larger one, nor one of unknown size.
// CHECK-LABEL: func.func @large(
// CHECK-NOT:     memref.alloca
// CHECK:         memref.alloc() : memref<65xf32>
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32>
func.func @large(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<65xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<65xf32>
  memref.store %x, %b[%c0] : memref<?xf32>
  return
}

// One number stays in memory, so that it is computed where it is written.
// CHECK-LABEL: func.func @number(
// CHECK-NOT:     memref.alloca
// CHECK:         memref.alloc() : memref<f32>
func.func @number(%x: f32) {
  %a = memref.alloc() : memref<f32>
  memref.store %x, %a[] : memref<f32>
  return
}
