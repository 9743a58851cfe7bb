// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1) -> (d0)>

// A join picks by its last index.
// CHECK-LABEL: func.func @join(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[PART]], #[[PART]], #[[ALL]]]{{.*}}} ins(%[[X]], %[[Y]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8x2xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[LAST:.*]] = linalg.index 1
// CHECK:           %[[IS_LEFT:.*]] = arith.cmpi eq, %[[LAST]], %{{.*}} : index
// CHECK:           arith.select %[[IS_LEFT]], %[[A]], %[[B]] : f32
func.func @join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8x2xf32> {
  %0 = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// Single numbers too.
// CHECK-LABEL: func.func @join_numbers(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>) outs(%{{.*}} : tensor<2xf32>)
func.func @join_numbers(%x: tensor<f32>, %y: tensor<f32>) -> tensor<2xf32> {
  %0 = tt.join %x, %y : tensor<f32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A split is two views.
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[X:.*]]: tensor<4x1x3x8x2xi8>)
// CHECK:         %[[LEFT:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0, 0] [4, 1, 3, 8, 1] [1, 1, 1, 1, 1]
// CHECK:         %[[L:.*]] = tensor.collapse_shape %[[LEFT]] {{\[}}[0], [1], [2], [3, 4]]
// CHECK:         %[[RIGHT:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0, 1] [4, 1, 3, 8, 1] [1, 1, 1, 1, 1]
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[RIGHT]]
// CHECK:         return %[[L]], %[[R]]
func.func @split(%x: tensor<4x1x3x8x2xi8>) -> (tensor<4x1x3x8xi8>, tensor<4x1x3x8xi8>) {
  %l, %r = tt.split %x : tensor<4x1x3x8x2xi8> -> tensor<4x1x3x8xi8>
  return %l, %r : tensor<4x1x3x8xi8>, tensor<4x1x3x8xi8>
}

// A cat is one block after the other.
// CHECK-LABEL: func.func @cat(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:         %[[HALF:.*]] = tensor.insert_slice %[[X]] into %[[EMPTY]][0] [4] [1]
// CHECK:         tensor.insert_slice %[[Y]] into %[[HALF]][4] [4] [1]
func.func @cat(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = tt.cat %x, %y : tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The dimension that grows need not be the first.
// CHECK-LABEL: func.func @cat_columns(
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [4, 2] [1, 1]
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 2] [4, 2] [1, 1]
func.func @cat_columns(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x4xf32> {
  %0 = tt.cat %x, %y : tensor<4x2xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
