// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// Loops that are scans become one operation; others stay loops.

#id = affine_map<(d0, d1) -> (d0, d1)>

// Along the only dimension the loop carries elements. The region takes what is
// combined so far first, whatever the loop's order.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK-NOT:     scf.for
// CHECK:         %[[S:.*]] = cta.scan %[[X]] axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-NEXT:      %[[NEXT:.*]] = arith.subf %[[NEW]], %[[SUM]] : f32
// CHECK-NEXT:      cta.yield %[[NEXT]]
// CHECK:         return %[[S]]
func.func @elements(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %first = tensor.extract %x[%c0] : tensor<8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<8xf32>
  %r:2 = scf.for %k = %c1 to %c8 step %c1 iter_args(%sum = %first, %out = %out0) -> (f32, tensor<8xf32>) {
    %new = tensor.extract %x[%k] : tensor<8xf32>
    %next = arith.subf %new, %sum : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<8xf32>
    scf.yield %next, %out1 : f32, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// Slices along one of several dimensions, from the end, of two operands.
// CHECK-LABEL: func.func @reverse_slices(
// CHECK-SAME:    %[[F:[^:]*]]: tensor<4x8xi32>, %[[V:[^:]*]]: tensor<4x8xi32>
// CHECK:         %[[S:.*]]:2 = cta.scan %[[F]], %[[V]] axis 1 reverse
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32, %[[D:.*]]: i32):
// CHECK-NEXT:      %[[OR:.*]] = arith.ori %[[A]], %[[C]]
// CHECK-NEXT:      %[[ADD:.*]] = arith.addi %[[B]], %[[D]]
// CHECK-NEXT:      cta.yield %[[OR]], %[[ADD]]
// CHECK:         return %[[S]]#0, %[[S]]#1
func.func @reverse_slices(%f: tensor<4x8xi32>, %v: tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f0 = tensor.extract_slice %f[0, 7] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
  %v0 = tensor.extract_slice %v[0, 7] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
  %empty = tensor.empty() : tensor<4x8xi32>
  %g0 = tensor.insert_slice %f0 into %empty[0, 7] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x8xi32>
  %w0 = tensor.insert_slice %v0 into %empty[0, 7] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x8xi32>
  %r:4 = scf.for %k = %c1 to %c8 step %c1 iter_args(%sf = %f0, %sv = %v0, %g = %g0, %w = %w0) -> (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x8xi32>, tensor<4x8xi32>) {
    %p = arith.subi %c7, %k : index
    %nf = tensor.extract_slice %f[0, %p] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
    %nv = tensor.extract_slice %v[0, %p] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
    %of = tensor.extract_slice %g[0, %p] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
    %ov = tensor.extract_slice %w[0, %p] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
    %s:4 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%nf, %nv : tensor<4x1xi32>, tensor<4x1xi32>) outs(%sf, %sv, %of, %ov : tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %h: i32):
      %0 = arith.ori %c, %a : i32
      %1 = arith.addi %d, %b : i32
      linalg.yield %0, %1, %0, %1 : i32, i32, i32, i32
    } -> (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>)
    %g1 = tensor.insert_slice %s#2 into %g[0, %p] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x8xi32>
    %w1 = tensor.insert_slice %s#3 into %w[0, %p] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x8xi32>
    scf.yield %s#0, %s#1, %g1, %w1 : tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x8xi32>, tensor<4x8xi32>
  }
  return %r#2, %r#3 : tensor<4x8xi32>, tensor<4x8xi32>
}

// A loop that starts from something else is none; what it inserts is chosen by
// the index.
// CHECK-LABEL: func.func @from_elsewhere(
// CHECK-NOT:     cta.scan
// CHECK:         scf.for %[[K:[a-z0-9]+]] =
// CHECK:           %[[I:.*]] = cta.iota 0 : tensor<8xindex>
// CHECK:           %[[AT:.*]] = cta.splat %[[K]] : tensor<8xindex>
// CHECK:           %[[NEW:.*]] = arith.cmpi eq, %[[I]], %[[AT]]
// CHECK:           arith.select %[[NEW]],
func.func @from_elsewhere(%x: tensor<8xf32>, %y: tensor<8xf32>, %start: f32) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %k = %c1 to %c8 step %c1 iter_args(%sum = %start, %out = %y) -> (f32, tensor<8xf32>) {
    %new = tensor.extract %x[%k] : tensor<8xf32>
    %next = arith.addf %sum, %new : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<8xf32>
    scf.yield %next, %out1 : f32, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
