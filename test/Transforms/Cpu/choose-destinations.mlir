// RUN: triton-shared-opt %s --cpu-choose-destinations | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// A running sum is overwritten by the next.
// CHECK-LABEL: func.func @running_sum(
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK:           linalg.generic {{.*}} outs(%[[SUM]] : tensor<64xf32>)
// CHECK-NEXT:      ^bb0(%{{.*}}: f32, %[[X:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:        arith.addf %[[S]], %[[X]]
func.func @running_sum(%start: tensor<64xf32>, %x: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> tensor<64xf32> {
    %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%sum, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%s: f32, %v: f32, %o: f32):
      %t = arith.addf %s, %v : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// So it is where another operation adds to the result first.
// CHECK-LABEL: func.func @scaled_then_added_to(
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:           %[[SCALED:.*]] = linalg.generic {{.*}} outs(%[[ACC]] : tensor<8x8xf32>)
// CHECK:           linalg.matmul {{.*}} outs(%[[SCALED]] : tensor<8x8xf32>)
func.func @scaled_then_added_to(%start: tensor<8x8xf32>, %f: tensor<8xf32>, %a: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> tensor<8x8xf32> {
    %scaled = linalg.generic {indexing_maps = [#id2, #rows, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%acc, %f : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%s: f32, %v: f32, %o: f32):
      %t = arith.mulf %s, %v : f32
      linalg.yield %t : f32
    } -> tensor<8x8xf32>
    %next = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%scaled : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %next : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// What is read again later stays.
// CHECK-LABEL: func.func @read_later(
// CHECK:         %[[EMPTY:.*]] = tensor.empty()
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK:           linalg.generic
func.func @read_later(%start: tensor<64xf32>, %x: tensor<64xf32>, %m: memref<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> tensor<64xf32> {
    %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%sum, %x : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%s: f32, %v: f32, %o: f32):
      %t = arith.maximumf %s, %v : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    %late = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%sum : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%s: f32, %o: f32):
      %t = math.exp %s : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    bufferization.materialize_in_destination %late in restrict writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
    scf.yield %next : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// A loop that exchanges what it carries writes to neither.
// CHECK-LABEL: func.func @exchanged(
// CHECK:         %[[EMPTY:.*]] = tensor.empty()
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:           linalg.generic {{.*}} outs(%[[EMPTY]]
func.func @exchanged(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64xf32>, tensor<64xf32>) {
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%s: f32, %o: f32):
      %t = arith.negf %s : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    scf.yield %b, %next : tensor<64xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}

// Zeros are made for each product that starts with them.
// CHECK-LABEL: func.func @zeros(
// CHECK:         scf.for
// CHECK:           %[[EMPTY:.*]] = tensor.empty()
// CHECK:           %[[FIRST:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK:           linalg.matmul {{.*}} outs(%[[FIRST]]
// CHECK:           %[[SECOND:.*]] = linalg.generic
// CHECK:           linalg.matmul {{.*}} outs(%[[SECOND]]
func.func @zeros(%a: tensor<8x8xf32>, %m: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zeros = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<8x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %p = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = linalg.matmul ins(%p, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
    bufferization.materialize_in_destination %q in restrict writable %m : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  }
  return
}

// A row is computed where it belongs in its block.
// CHECK-LABEL: func.func @row_of_a_block(
// CHECK-SAME:    %{{[^:]*}}: tensor<1x8xf32>, %[[BLOCK:[^:]*]]: tensor<4x8xf32>
// CHECK:         %[[ROW:.*]] = tensor.extract_slice %[[BLOCK]][2, 0] [1, 8] [1, 1]
// CHECK:         %[[MADE:.*]] = linalg.generic {{.*}} outs(%[[ROW]] : tensor<1x8xf32>)
// CHECK:         tensor.insert_slice %[[MADE]] into %[[BLOCK]][2, 0]
func.func @row_of_a_block(%x: tensor<1x8xf32>, %block: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %row = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %t = math.exp %v : f32
    linalg.yield %t : f32
  } -> tensor<1x8xf32>
  %r = tensor.insert_slice %row into %block[2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
