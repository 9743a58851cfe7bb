// A loop over all elements becomes operations on whole tiles.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> (0, d1)>

// Each operation of the body works on tiles; a scalar is splat where it meets one.
// CHECK-LABEL: func.func @body(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<4x8xf32>, %[[S:[^:]*]]: f32
// CHECK-SAME: cta.num_warps = 4 : i32
func.func @body(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %s: f32) -> tensor<4x8xf32> {
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : tensor<4x8xf32>
  // CHECK: %[[MANY:.*]] = cta.splat %[[S]] : tensor<4x8xf32>
  // CHECK: arith.mulf %[[SUM]], %[[MANY]] : tensor<4x8xf32>
  // CHECK-NOT: linalg
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    %scaled = arith.mulf %sum, %s : f32
    linalg.yield %scaled : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// What is read through a map gets the dimensions of the loops, then their sizes.
// CHECK-LABEL: func.func @maps(
// CHECK-SAME: %[[ROW:[^:]*]]: tensor<8xf32>, %[[T:[^:]*]]: tensor<8x4xf32>, %[[ONE:[^:]*]]: tensor<1x8xf32>
func.func @maps(%row: tensor<8xf32>, %t: tensor<8x4xf32>, %one: tensor<1x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[FLAT:.*]] = cta.reshape %[[ROW]] : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: %[[ROWS:.*]] = cta.broadcast %[[FLAT]] : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[TURNED:.*]] = cta.transpose %[[T]] [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: %[[ONCE:.*]] = cta.reshape %[[ONE]] : tensor<1x8xf32> -> tensor<8xf32>
  // CHECK: %[[AGAIN:.*]] = cta.reshape %[[ONCE]] : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: %[[ONES:.*]] = cta.broadcast %[[AGAIN]] : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %[[ROWS]], %[[TURNED]]
  // CHECK: arith.addf %[[SUM]], %[[ONES]]
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#row, #swap, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%row, %t, %one : tensor<8xf32>, tensor<8x4xf32>, tensor<1x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    %all = arith.addf %sum, %z : f32
    linalg.yield %all : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The index of a loop is a coordinate, and a read of another tensor a lookup.
// CHECK-LABEL: func.func @places(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16xf32>
func.func @places(%x: tensor<16xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[COLUMN:.*]] = cta.iota 1 : tensor<4x8xindex>
  // CHECK: cta.lookup %[[X]][%[[COLUMN]] : tensor<4x8xindex>] : tensor<16xf32> -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j] : tensor<16xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A body with branches runs once per element; the index becomes an argument.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[A:[^:]*]]: tensor<8xi32>
func.func @branches(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<8xindex>
  // CHECK: cta.map %[[A]], %{{.*}}, %[[I]] : (tensor<8xi32>, tensor<8xi32>, tensor<8xindex>) -> tensor<8xi32> {
  // CHECK: ^bb0(%[[X:.*]]: i32, %{{.*}}: i32, %[[K:.*]]: index):
  // CHECK: scf.if
  // CHECK: cta.yield
  %e = tensor.empty() : tensor<8xi32>
  %zero = arith.constant 0 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%x: i32, %out: i32):
    %k = linalg.index 0 : index
    %first = arith.cmpi eq, %k, %zero : index
    %r = scf.if %first -> i32 {
      scf.yield %x : i32
    } else {
      %d = arith.addi %x, %x : i32
      scf.yield %d : i32
    }
    linalg.yield %r : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[S:[^:]*]]: f32
func.func @fill(%s: f32) -> tensor<8xf32> {
  // CHECK: %[[MANY:.*]] = cta.splat %[[S]] : tensor<8xf32>
  // CHECK: return %[[MANY]]
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
