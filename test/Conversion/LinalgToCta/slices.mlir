// What is cut into equal parts, powers of two, is taken and put together as parts.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// A part that begins at a multiple of its size; a dimension of one place goes away.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8x2xf32>
func.func @halves(%x: tensor<4x8x2xf32>) -> (tensor<4x8xf32>, tensor<4x4x2xf32>) {
  // CHECK: %[[LAST:.*]] = cta.slice %[[X]] [0, 0, 1] : tensor<4x8x2xf32> -> tensor<4x8x1xf32>
  // CHECK: cta.reshape %[[LAST]] : tensor<4x8x1xf32> -> tensor<4x8xf32>
  // CHECK: cta.slice %[[X]] [0, 4, 0] : tensor<4x8x2xf32> -> tensor<4x4x2xf32>
  %0 = tensor.extract_slice %x[0, 0, 1] [4, 8, 1] [1, 1, 1] : tensor<4x8x2xf32> to tensor<4x8xf32>
  %1 = tensor.extract_slice %x[0, 4, 0] [4, 4, 2] [1, 1, 1] : tensor<4x8x2xf32> to tensor<4x4x2xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x4x2xf32>
}

// Every second element is a part where neighbours are a dimension.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16xf32>, %[[PART:[^:]*]]: tensor<4xf32>
func.func @strided(%x: tensor<16xf32>, %part: tensor<4xf32>) -> (tensor<4xf32>, tensor<16xf32>) {
  // CHECK: %[[PAIRS:.*]] = cta.reshape %[[X]] : tensor<16xf32> -> tensor<8x2xf32>
  // CHECK: %[[ODD:.*]] = cta.slice %[[PAIRS]] [4, 1] : tensor<8x2xf32> -> tensor<4x1xf32>
  // CHECK: cta.reshape %[[ODD]] : tensor<4x1xf32> -> tensor<4xf32>
  %0 = tensor.extract_slice %x[9] [4] [2] : tensor<16xf32> to tensor<4xf32>
  // CHECK: %[[NEW:.*]] = cta.reshape %[[PART]] : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: %[[OLD:.*]] = cta.reshape %[[X]] : tensor<16xf32> -> tensor<8x2xf32>
  // CHECK: %[[BOTH:.*]] = cta.insert_slice %[[NEW]] into %[[OLD]] [0, 1] : tensor<4x1xf32> into tensor<8x2xf32>
  // CHECK: cta.reshape %[[BOTH]] : tensor<8x2xf32> -> tensor<16xf32>
  %1 = tensor.insert_slice %part into %x[1] [4] [2] : tensor<4xf32> into tensor<16xf32>
  return %0, %1 : tensor<4xf32>, tensor<16xf32>
}

// A tensor of one part is that part.
// CHECK-LABEL: func.func @all(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x4xf32>
// CHECK: %[[ROW:.*]] = cta.reshape %[[X]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK: return %[[ROW]]
func.func @all(%x: tensor<1x4xf32>) -> tensor<4xf32> {
  %0 = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// One after the other, as tt.cat puts them.
// CHECK-LABEL: func.func @cat(
// CHECK-SAME: %[[A:[^:]*]]: tensor<2x4xi8>, %[[B:[^:]*]]: tensor<2x4xi8>
func.func @cat(%a: tensor<2x4xi8>, %b: tensor<2x4xi8>) -> tensor<2x8xi8> {
  // CHECK: %[[FIRST:.*]] = cta.insert_slice %[[A]] into %{{.*}} [0, 0] : tensor<2x4xi8> into tensor<2x8xi8>
  // CHECK: cta.insert_slice %[[B]] into %[[FIRST]] [0, 4] : tensor<2x4xi8> into tensor<2x8xi8>
  %e = tensor.empty() : tensor<2x8xi8>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xi8> into tensor<2x8xi8>
  %1 = tensor.insert_slice %b into %0[0, 4] [2, 4] [1, 1] : tensor<2x4xi8> into tensor<2x8xi8>
  return %1 : tensor<2x8xi8>
}

#part = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// The loop of tt.join picks one of two by its last index.
// CHECK-LABEL: func.func @join(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>, %[[B:[^:]*]]: tensor<4xf32>
func.func @join(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[LEFT:.*]] = cta.reshape %[[A]] : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: %[[FIRST:.*]] = cta.insert_slice %[[LEFT]] into %{{.*}} [0, 0] : tensor<4x1xf32> into tensor<4x2xf32>
  // CHECK: %[[RIGHT:.*]] = cta.reshape %[[B]] : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: cta.insert_slice %[[RIGHT]] into %[[FIRST]] [0, 1] : tensor<4x1xf32> into tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = linalg.generic {indexing_maps = [#part, #part, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %zero = arith.constant 0 : index
    %last = linalg.index 1 : index
    %is_first = arith.cmpi eq, %last, %zero : index
    %picked = arith.select %is_first, %x, %y : f32
    linalg.yield %picked : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A loop that picks by another index, or the other way round, is one.
// CHECK-LABEL: func.func @picked(
// CHECK-NOT: cta.insert_slice
// CHECK: arith.select
func.func @picked(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.generic {indexing_maps = [#part, #part, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %zero = arith.constant 0 : index
    %row = linalg.index 0 : index
    %is_first = arith.cmpi eq, %row, %zero : index
    %picked = arith.select %is_first, %x, %y : f32
    linalg.yield %picked : f32
  } -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
