// RUN: triton-shared-opt %s --cpu-scans-to-vector | FileCheck %s
// RUN: triton-shared-opt %s --cpu-scans-to-vector=vector-bytes=16 | FileCheck %s --check-prefix=NARROW
// RUN: triton-shared-opt %s --cpu-scans-to-vector=expand-math=false | FileCheck %s --check-prefix=LIBRARY

#id = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Lanes are combined with those 1, 2, 4 and 8 places before them; what the vectors before came to
// is carried in every lane, by one combination.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: tensor<64xf32>
// CHECK:         %[[OUT:.*]] = tensor.empty() : tensor<64xf32>
// CHECK:         vector.transfer_read %[[X]]
// CHECK-COUNT-4: arith.select
// CHECK:         %[[SPREAD:.*]] = vector.shuffle {{.*}} [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]
// CHECK:         %[[OUT0:.*]] = vector.transfer_write %{{.*}}, %[[OUT]]
// CHECK:         scf.for %[[K:[a-z0-9]+]] = {{.*}} iter_args(%[[SUM:.*]] = %[[SPREAD]], %[[SOFAR:.*]] = %[[OUT0]]) -> (vector<16xf32>, tensor<64xf32>)
// CHECK:           %[[NEW:.*]] = vector.transfer_read %[[X]][%[[K]]], {{.*}} {in_bounds = [true]} : tensor<64xf32>, vector<16xf32>
// CHECK:           %[[BEFORE:.*]] = vector.shuffle %[[NEW]], %[[NEW]] [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
// CHECK:           %[[BOTH:.*]] = arith.addf %[[BEFORE]], %[[NEW]] : vector<16xf32>
// CHECK:           %[[MASK:.*]] = arith.constant dense<[false, true, true,
// CHECK:           arith.select %[[MASK]], %[[BOTH]], %[[NEW]]
// CHECK-COUNT-2:   arith.select
// CHECK:           %[[PREFIXES:.*]] = arith.select
// CHECK:           %[[WHOLE:.*]] = arith.addf %[[SUM]], %[[PREFIXES]]
// CHECK:           %[[LAST:.*]] = vector.shuffle %[[PREFIXES]]
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[LAST]]
// CHECK:           %[[OUT1:.*]] = vector.transfer_write %[[WHOLE]], %[[SOFAR]][%[[K]]] {in_bounds = [true]}
// CHECK:           scf.yield %[[NEXT]], %[[OUT1]]
// NARROW-LABEL: func.func @sum(
// NARROW:         vector<4xf32>
func.func @sum(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xf32>
  %r:2 = scf.for %k = %c1 to %c64 step %c1 iter_args(%sum = %first, %out = %out0) -> (f32, tensor<64xf32>) {
    %new = tensor.extract %x[%k] : tensor<64xf32>
    %next = arith.addf %sum, %new : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<64xf32>
    scf.yield %next, %out1 : f32, tensor<64xf32>
  }
  return %r#1 : tensor<64xf32>
}

// Each row of a block is scanned by itself. In reverse, the first vector is the last of the row,
// its first lane is what it comes to, and lanes take those behind them first: the region may not
// swap them. Nothing is left of the loop over slices.
// CHECK-LABEL: func.func @reverse_rows_of_two(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x32xi32>, %[[B:[^:]*]]: tensor<4x32xi32>
// CHECK-NOT:     extract_slice
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.for %[[ROW:[a-z0-9]+]] = %{{.*}} to %[[C4]] {{.*}} -> (tensor<4x32xi32>, tensor<4x32xi32>)
// CHECK:           %[[C16:.*]] = arith.constant 16 : index
// CHECK:           vector.transfer_read %[[A]][%[[ROW]], %[[C16]]]
// CHECK:           vector.transfer_read %[[B]][%[[ROW]], %[[C16]]]
// CHECK:           scf.for %[[K:[a-z0-9]+]] = {{.*}} -> (vector<16xi32>, vector<16xi32>, tensor<4x32xi32>, tensor<4x32xi32>)
// CHECK:             %[[AT:.*]] = arith.subi %[[C16]], %[[K]]
// CHECK:             %[[NA:.*]] = vector.transfer_read %[[A]][%[[ROW]], %[[AT]]]
// CHECK:             %[[NB:.*]] = vector.transfer_read %[[B]][%[[ROW]], %[[AT]]]
// CHECK:             %[[OA:.*]] = vector.shuffle %[[NA]], %[[NA]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15]
// CHECK:             %[[OB:.*]] = vector.shuffle %[[NB]], %[[NB]] [1, 2,
// CHECK:             arith.muli %[[OA]], %[[NA]]
// CHECK:             %[[SCALED:.*]] = arith.muli %[[OB]], %[[NA]]
// CHECK:             arith.addi %[[SCALED]], %[[NB]]
// CHECK:             dense<[true, {{(true, )*}}false]>
// CHECK:             vector.shuffle {{.*}} [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// CHECK-NOT:     extract_slice
// CHECK:         return
func.func @reverse_rows_of_two(%a: tensor<4x32xi32>, %b: tensor<4x32xi32>) -> (tensor<4x32xi32>, tensor<4x32xi32>) {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %a0 = tensor.extract_slice %a[0, 31] [4, 1] [1, 1] : tensor<4x32xi32> to tensor<4x1xi32>
  %b0 = tensor.extract_slice %b[0, 31] [4, 1] [1, 1] : tensor<4x32xi32> to tensor<4x1xi32>
  %empty = tensor.empty() : tensor<4x32xi32>
  %g0 = tensor.insert_slice %a0 into %empty[0, 31] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x32xi32>
  %h0 = tensor.insert_slice %b0 into %empty[0, 31] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x32xi32>
  %r:4 = scf.for %k = %c1 to %c32 step %c1 iter_args(%sa = %a0, %sb = %b0, %g = %g0, %h = %h0) -> (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x32xi32>, tensor<4x32xi32>) {
    %p = arith.subi %c31, %k : index
    %na = tensor.extract_slice %a[0, %p] [4, 1] [1, 1] : tensor<4x32xi32> to tensor<4x1xi32>
    %nb = tensor.extract_slice %b[0, %p] [4, 1] [1, 1] : tensor<4x32xi32> to tensor<4x1xi32>
    %oa = tensor.empty() : tensor<4x1xi32>
    %ob = tensor.extract_slice %h[0, %p] [4, 1] [1, 1] : tensor<4x32xi32> to tensor<4x1xi32>
    %s:4 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%na, %nb : tensor<4x1xi32>, tensor<4x1xi32>) outs(%sa, %sb, %oa, %ob : tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>) {
    ^bb0(%c: i32, %d: i32, %e: i32, %f: i32, %i: i32, %j: i32):
      %0 = arith.muli %e, %c : i32
      %1 = arith.muli %f, %c : i32
      %2 = arith.addi %1, %d : i32
      linalg.yield %0, %2, %0, %2 : i32, i32, i32, i32
    } -> (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>)
    %g1 = tensor.insert_slice %s#2 into %g[0, %p] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x32xi32>
    %h1 = tensor.insert_slice %s#3 into %h[0, %p] [4, 1] [1, 1] : tensor<4x1xi32> into tensor<4x32xi32>
    scf.yield %s#0, %s#1, %g1, %h1 : tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x32xi32>, tensor<4x32xi32>
  }
  return %r#2, %r#3 : tensor<4x32xi32>, tensor<4x32xi32>
}

// Of three dimensions two are walked. A row may be a single vector; the widest number, here of the
// region, says how many lanes there are.
// CHECK-LABEL: func.func @three_dimensions(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x8xi32>
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           scf.for %[[J:[a-z0-9]+]] =
// CHECK-NOT:         scf.for
// CHECK:             vector.transfer_read %[[X]][%[[I]], %[[J]], %{{.*}} vector<8xi32>
// CHECK:             arith.muli {{.*}} : vector<8xi64>
// CHECK-NOT:         scf.for
// CHECK:         return
func.func @three_dimensions(%x: tensor<2x3x8xi32>) -> tensor<2x3x8xi32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %first = tensor.extract_slice %x[0, 0, 0] [2, 3, 1] [1, 1, 1] : tensor<2x3x8xi32> to tensor<2x3x1xi32>
  %empty = tensor.empty() : tensor<2x3x8xi32>
  %out0 = tensor.insert_slice %first into %empty[0, 0, 0] [2, 3, 1] [1, 1, 1] : tensor<2x3x1xi32> into tensor<2x3x8xi32>
  %r:2 = scf.for %k = %c1 to %c8 step %c1 iter_args(%sum = %first, %out = %out0) -> (tensor<2x3x1xi32>, tensor<2x3x8xi32>) {
    %new = tensor.extract_slice %x[0, 0, %k] [2, 3, 1] [1, 1, 1] : tensor<2x3x8xi32> to tensor<2x3x1xi32>
    %old = tensor.extract_slice %out[0, 0, %k] [2, 3, 1] [1, 1, 1] : tensor<2x3x8xi32> to tensor<2x3x1xi32>
    %s:2 = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%new : tensor<2x3x1xi32>) outs(%sum, %old : tensor<2x3x1xi32>, tensor<2x3x1xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %wa = arith.extsi %a : i32 to i64
      %wb = arith.extsi %b : i32 to i64
      %product = arith.muli %wb, %wa : i64
      %0 = arith.trunci %product : i64 to i32
      linalg.yield %0, %0 : i32, i32
    } -> (tensor<2x3x1xi32>, tensor<2x3x1xi32>)
    %out1 = tensor.insert_slice %s#1 into %out[0, 0, %k] [2, 3, 1] [1, 1, 1] : tensor<2x3x1xi32> into tensor<2x3x8xi32>
    scf.yield %s#0, %out1 : tensor<2x3x1xi32>, tensor<2x3x8xi32>
  }
  return %r#1 : tensor<2x3x8xi32>
}

// Functions become polynomials, unless the C library is faster or there are less than 16 lanes.
// CHECK-LABEL: func.func @functions(
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK:         return
// NARROW-LABEL: func.func @functions(
// NARROW-NOT:     vector.
// NARROW:         math.exp
// NARROW-NOT:     vector.
// NARROW:         return
// LIBRARY-LABEL: func.func @functions(
// LIBRARY-NOT:     vector.
// LIBRARY:         math.exp {{.*}} : f32
// LIBRARY-NOT:     vector.
// LIBRARY:         return
func.func @functions(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xf32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (f32, tensor<64xf32>) {
    %new = tensor.extract %x[%k] : tensor<64xf32>
    %power = math.exp %new : f32
    %next = arith.addf %sum, %power : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<64xf32>
    scf.yield %next, %out1 : f32, tensor<64xf32>
  }
  return %r#1 : tensor<64xf32>
}
