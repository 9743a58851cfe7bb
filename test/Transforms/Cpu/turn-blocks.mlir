// RUN: triton-shared-opt %s --cpu-turn-blocks --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>

// Columns that lie in one piece, summed up over the rows of a matrix.
// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4x64xf32>
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [4, 64], strides: [128, 1]
// CHECK:         memref.copy %[[VIEW]], %[[BUFFER]]
// CHECK:         %[[BLOCK:.*]] = bufferization.to_tensor %[[BUFFER]]
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]]], iterator_types = ["reduction", "parallel"]} ins(%[[BLOCK]] : tensor<4x64xf32>) outs(%{{.*}} : tensor<64xf32>)
func.func @sums(%p: memref<*xf32>, %i: index, %start: tensor<64xf32>) -> tensor<64xf32> {
  %view = memref.reinterpret_cast %p to offset: [%i], sizes: [64, 4], strides: [1, 128] : memref<*xf32> to memref<64x4xf32, strided<[1, 128], offset: ?>>
  %buffer = memref.alloc() : memref<64x4xf32>
  memref.copy %view, %buffer : memref<64x4xf32, strided<[1, 128], offset: ?>> to memref<64x4xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<64x4xf32> to tensor<64x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x4xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %s = arith.addf %sum, %in : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1) -> (d0, 0)>
#none = affine_map<(d0, d1) -> ()>

// What a loop carries is swapped with what it adds: bounds, what fills the
// rest, a mask that is a column, indices, the block that is stored.
// CHECK-DAG:   #[[TOP:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[N:[^:]*]]: index, %[[M:[^:]*]]: index, %[[CUT:[^:]*]]: i1, %[[LINE:.*]]: tensor<64xi1>)
// CHECK:         %[[MASK:.*]] = tensor.expand_shape %[[LINE]] {{\[\[}}0, 1]] output_shape [1, 64] : tensor<64xi1> into tensor<1x64xi1>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} -> (tensor<4x64xf32>)
// CHECK:           %[[BUFFER:.*]] = memref.alloc() : memref<4x64xf32>
// CHECK:           scf.if %[[CUT]]
// CHECK:             linalg.fill {{.*}} outs(%[[BUFFER]] : memref<4x64xf32>)
// CHECK:           memref.subview %{{.*}}[0, 0] [%[[M]], %[[N]]] [1, 1] : memref<4x64xf32, strided<[128, 1]
// CHECK:           memref.subview %[[BUFFER]][0, 0] [%[[M]], %[[N]]] [1, 1]
// CHECK:           linalg.generic {{.*}}#[[TOP]]{{.*}} ins(%{{.*}}, %[[MASK]] : tensor<4x64xf32>, tensor<1x64xi1>)
// CHECK:             linalg.index 1
// CHECK:         memref.subview %{{.*}}[0, 0] [%[[M]], %[[N]]] [1, 1] : memref<4x64xf32, strided<[?, 1]
// CHECK:         tensor.extract_slice %[[SUM]][0, 0] [%[[M]], %[[N]]] [1, 1] : tensor<4x64xf32> to tensor<?x?xf32>
// CHECK:         bufferization.materialize_in_destination
func.func @loop(%p: memref<*xf32>, %q: memref<*xf32>, %i: index, %s: index, %n: index, %m: index, %cut: i1, %line: tensor<64xi1>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = tensor.expand_shape %line [[0, 1]] output_shape [64, 1] : tensor<64xi1> into tensor<64x1xi1>
  %empty = tensor.empty() : tensor<64x4xf32>
  %start = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<64x4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x4xf32>
  %sum = scf.for %k = %c0 to %i step %c1 iter_args(%acc = %start) -> (tensor<64x4xf32>) {
    %view = memref.reinterpret_cast %p to offset: [%k], sizes: [64, 4], strides: [1, 128] : memref<*xf32> to memref<64x4xf32, strided<[1, 128], offset: ?>>
    %from = memref.subview %view[0, 0] [%n, %m] [1, 1] : memref<64x4xf32, strided<[1, 128], offset: ?>> to memref<?x?xf32, strided<[1, 128], offset: ?>>
    %buffer = memref.alloc() : memref<64x4xf32>
    scf.if %cut {
      linalg.fill ins(%zero : f32) outs(%buffer : memref<64x4xf32>)
    }
    %to = memref.subview %buffer[0, 0] [%n, %m] [1, 1] : memref<64x4xf32> to memref<?x?xf32, strided<[4, 1]>>
    memref.copy %from, %to : memref<?x?xf32, strided<[1, 128], offset: ?>> to memref<?x?xf32, strided<[4, 1]>>
    %t = bufferization.to_tensor %buffer restrict writable : memref<64x4xf32> to tensor<64x4xf32>
    %next = linalg.generic {indexing_maps = [#id, #left, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %mask : tensor<64x4xf32>, tensor<64x1xi1>) outs(%acc : tensor<64x4xf32>) {
    ^bb0(%in: f32, %is: i1, %out: f32):
      %row = linalg.index 0 : index
      %number = arith.index_cast %row : index to i32
      %float = arith.sitofp %number : i32 to f32
      %product = arith.mulf %in, %float : f32
      %more = arith.addf %out, %product : f32
      %r = arith.select %is, %more, %out : f32
      linalg.yield %r : f32
    } -> tensor<64x4xf32>
    scf.yield %next : tensor<64x4xf32>
  }
  %target = memref.reinterpret_cast %q to offset: [%i], sizes: [64, 4], strides: [1, %s] : memref<*xf32> to memref<64x4xf32, strided<[1, ?], offset: ?>>
  %part = memref.subview %target[0, 0] [%n, %m] [1, 1] : memref<64x4xf32, strided<[1, ?], offset: ?>> to memref<?x?xf32, strided<[1, ?], offset: ?>>
  %slice = tensor.extract_slice %sum[0, 0] [%n, %m] [1, 1] : tensor<64x4xf32> to tensor<?x?xf32>
  bufferization.materialize_in_destination %slice in writable %part : (tensor<?x?xf32>, memref<?x?xf32, strided<[1, ?], offset: ?>>) -> ()
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A transposition stays one: what is loaded has its columns in one piece, what
// is stored its rows.
// CHECK-LABEL: func.func @transposition(
// CHECK-NOT:     memref<16x64xf32
func.func @transposition(%p: memref<*xf32>, %q: memref<*xf32>) {
  %view = memref.reinterpret_cast %p to offset: [0], sizes: [64, 16], strides: [1, 128] : memref<*xf32> to memref<64x16xf32, strided<[1, 128]>>
  %buffer = memref.alloc() : memref<64x16xf32>
  memref.copy %view, %buffer : memref<64x16xf32, strided<[1, 128]>> to memref<64x16xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<64x16xf32> to tensor<64x16xf32>
  %target = memref.reinterpret_cast %q to offset: [0], sizes: [64, 16], strides: [32, 1] : memref<*xf32> to memref<64x16xf32, strided<[32, 1]>>
  bufferization.materialize_in_destination %t in writable %target : (tensor<64x16xf32>, memref<64x16xf32, strided<[32, 1]>>) -> ()
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two numbers in a row are no gain.
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     4x2xf32
func.func @short(%p: memref<*xf32>, %start: tensor<2xf32>) -> tensor<2xf32> {
  %view = memref.reinterpret_cast %p to offset: [0], sizes: [2, 4], strides: [1, 128] : memref<*xf32> to memref<2x4xf32, strided<[1, 128]>>
  %buffer = memref.alloc() : memref<2x4xf32>
  memref.copy %view, %buffer : memref<2x4xf32, strided<[1, 128]>> to memref<2x4xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<2x4xf32> to tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<2x4xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %s = arith.addf %sum, %in : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// Products read their operands as they are.
// CHECK-LABEL: func.func @product(
// CHECK-NOT:     memref<32x16xf32>
func.func @product(%p: memref<*xf32>, %b: tensor<32x8xf32>, %acc: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %view = memref.reinterpret_cast %p to offset: [0], sizes: [16, 32], strides: [1, 128] : memref<*xf32> to memref<16x32xf32, strided<[1, 128]>>
  %buffer = memref.alloc() : memref<16x32xf32>
  memref.copy %view, %buffer : memref<16x32xf32, strided<[1, 128]>> to memref<16x32xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<16x32xf32> to tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t, %b : tensor<16x32xf32>, tensor<32x8xf32>) outs(%acc : tensor<16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A block that somebody else reads as it is keeps all that belong to it.
// CHECK-LABEL: func.func @shared(
// CHECK-NOT:     memref<4x64xf32
func.func @shared(%p: memref<*xf32>, %start: tensor<64xf32>) -> (tensor<64xf32>, tensor<256xf32>) {
  %view = memref.reinterpret_cast %p to offset: [0], sizes: [64, 4], strides: [1, 128] : memref<*xf32> to memref<64x4xf32, strided<[1, 128]>>
  %buffer = memref.alloc() : memref<64x4xf32>
  memref.copy %view, %buffer : memref<64x4xf32, strided<[1, 128]>> to memref<64x4xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<64x4xf32> to tensor<64x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x4xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %s = arith.addf %sum, %in : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<64x4xf32> into tensor<256xf32>
  return %r, %flat : tensor<64xf32>, tensor<256xf32>
}
