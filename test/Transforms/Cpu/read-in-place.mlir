// RUN: triton-shared-opt %s --cpu-read-in-place --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A whole block is read where it is.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[VIEW:.*]]: memref<8xf32, strided<[1], offset: ?>>)
// CHECK-NOT:     memref.copy
// CHECK:         bufferization.to_tensor %[[VIEW]] restrict :
func.func @whole(%view: memref<8xf32, strided<[1], offset: ?>>) -> tensor<8xf32> {
  %alloc = memref.alloc() : memref<8xf32>
  memref.copy %view, %alloc : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Where a bound cuts the block off, it is copied; else it is read where it is.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME:    %[[VIEW:[^:]*]]: memref<8xf32>, %[[N:[^:]*]]: index, %[[CUT:.*]]: i1)
// CHECK:         %[[BUFFER:.*]] = memref.alloc()
// CHECK:         %[[BLOCK:.*]] = scf.if %[[CUT]]
// CHECK:           linalg.fill {{.*}} outs(%[[BUFFER]]
// CHECK:           memref.copy
// CHECK:           %[[COPY:.*]] = memref.cast %[[BUFFER]]
// CHECK:           scf.yield %[[COPY]]
// CHECK:         } else {
// CHECK:           %[[SHOWN:.*]] = memref.cast %[[VIEW]]
// CHECK:           scf.yield %[[SHOWN]]
// CHECK:         bufferization.to_tensor %[[BLOCK]] restrict :
func.func @bounded(%view: memref<8xf32>, %n: index, %cut: i1) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %from = memref.subview %view[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  %alloc = memref.alloc() : memref<8xf32>
  scf.if %cut {
    linalg.fill ins(%zero : f32) outs(%alloc : memref<8xf32>)
  }
  %to = memref.subview %alloc[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  memref.copy %from, %to : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Columns of a matrix that lies row by row are copied.
// CHECK-LABEL: func.func @column_by_column(
// CHECK:         memref.copy
func.func @column_by_column(%view: memref<8xf32, strided<[4]>>) -> tensor<8xf32> {
  %alloc = memref.alloc() : memref<8xf32>
  memref.copy %view, %alloc : memref<8xf32, strided<[4]>> to memref<8xf32>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A store before the last use may change the block.
// CHECK-LABEL: func.func @store_before_use(
// CHECK:         memref.copy
// CHECK:         memref.store
func.func @store_before_use(%view: memref<8xf32>, %other: memref<8xf32>, %x: f32) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %alloc = memref.alloc() : memref<8xf32>
  memref.copy %view, %alloc : memref<8xf32> to memref<8xf32>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  memref.store %x, %other[%zero] : memref<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A store in a loop comes before the use in its next iteration.
// CHECK-LABEL: func.func @store_in_loop(
// CHECK:         memref.copy
// CHECK:         scf.for
func.func @store_in_loop(%view: memref<8xf32>, %other: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %alloc = memref.alloc() : memref<8xf32>
  memref.copy %view, %alloc : memref<8xf32> to memref<8xf32>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  scf.for %i = %zero to %n step %one {
    %x = tensor.extract %t[%i] : tensor<8xf32>
    memref.store %x, %other[%zero] : memref<8xf32>
  }
  return
}

// -----

// A block that is stored as it is was read before anything is written.
// CHECK-LABEL: func.func @stored(
// CHECK:         memref.copy
func.func @stored(%view: memref<8xf32>, %other: memref<8xf32>) {
  %alloc = memref.alloc() : memref<8xf32>
  memref.copy %view, %alloc : memref<8xf32> to memref<8xf32>
  %t = bufferization.to_tensor %alloc restrict writable : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %t in writable %other : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
