// RUN: triton-shared-opt %s --cpu-fuse-elementwise | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>

// A chain is one loop.
// CHECK-LABEL: func.func @chain(
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:     linalg.generic
func.func @chain(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// What is read several times is computed once.
// CHECK-LABEL: func.func @read_often(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK:           linalg.yield
func.func @read_often(%a: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A mask costs less than a buffer: it is made wherever it is read.
// CHECK-LABEL: func.func @mask_read_twice(
// CHECK:         linalg.generic
// CHECK:           linalg.index
// CHECK:           arith.cmpi
// CHECK:           arith.select
// CHECK:         linalg.generic
// CHECK:           linalg.index
// CHECK:           arith.cmpi
// CHECK:           arith.select
// CHECK-NOT:     linalg.generic
func.func @mask_read_twice(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = tensor.empty() : tensor<8xi1>
  %mask = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%m : tensor<8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %n : index
    linalg.yield %c : i1
  } -> tensor<8xi1>
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%mask, %a, %b : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%k: i1, %x: f32, %y: f32, %o: f32):
    %s = arith.select %k, %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%mask, %a, %b : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%k: i1, %x: f32, %y: f32, %o: f32):
    %s = arith.select %k, %y, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A few operations on one block cost less than a buffer, even if they are
// needed twice.
// CHECK-LABEL: func.func @row_less_its_mean(
// CHECK-SAME:    %[[ROW:[^:]*]]: tensor<64xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[ROW]], %{{.*}} : tensor<64xf32>, f32)
// CHECK:           arith.subf
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[ROW]], %{{.*}} : tensor<64xf32>, f32)
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NOT:     linalg.generic
func.func @row_less_its_mean(%row: tensor<64xf32>, %mean: f32, %zero: tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %centred = linalg.generic {indexing_maps = [#one, affine_map<(d0) -> ()>, #one], iterator_types = ["parallel"]}
      ins(%row, %mean : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#one, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%centred : tensor<64xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.mulf %x, %x : f32
    %t = arith.addf %q, %s : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %powers = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%centred : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp %x : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  return %squares, %powers : tensor<f32>, tensor<64xf32>
}

// Two blocks would be read again instead of one buffer.
// CHECK-LABEL: func.func @sum_of_two_blocks(
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
// CHECK:         ins(%[[SUM]]
// CHECK:         ins(%[[SUM]]
func.func @sum_of_two_blocks(%a: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.addf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp %x : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.log %x : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// A block that another operation reads as well keeps its buffer, so that it is
// computed once.
// CHECK-LABEL: func.func @buffer_that_stays(
// CHECK:         %[[LESS:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.subf
// CHECK:         linalg.generic {{.*}} ins(%[[LESS]]
// CHECK:         return %{{.*}}, %[[LESS]]
func.func @buffer_that_stays(%a: tensor<64xf32>, %m: f32) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %less = linalg.generic {indexing_maps = [#one, affine_map<(d0) -> ()>, #one], iterator_types = ["parallel"]}
      ins(%a, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%less : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp %x : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  return %0, %less : tensor<64xf32>, tensor<64xf32>
}

// Columns, made before a loop with a dimension of one element, are counted where they are used: a buffer of them would be read in each turn.
// CHECK-LABEL: func.func @columns_in_a_loop(
// CHECK-NOT:     tensor.expand_shape
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK-NEXT:      ^bb0
// CHECK:             linalg.index 1
// CHECK:             arith.cmpi slt
// CHECK:             arith.addf
// CHECK:             arith.select
func.func @columns_in_a_loop(%x: tensor<1x16xf32>, %n: i32, %turns: index) -> tensor<1x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16xi32>
  %count = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<16xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<16xi32>
  %columns = tensor.expand_shape %count [[0, 1]] output_shape [1, 16] : tensor<16xi32> into tensor<1x16xi32>
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%sum = %x) -> tensor<1x16xf32> {
    %o = tensor.empty() : tensor<1x16xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%columns, %sum : tensor<1x16xi32>, tensor<1x16xf32>) outs(%o : tensor<1x16xf32>) {
    ^bb0(%column: i32, %in: f32, %out: f32):
      %below = arith.cmpi slt, %column, %n : i32
      %twice = arith.addf %in, %in : f32
      %kept = arith.select %below, %twice, %in : f32
      linalg.yield %kept : f32
    } -> tensor<1x16xf32>
    scf.yield %next : tensor<1x16xf32>
  }
  return %r : tensor<1x16xf32>
}
