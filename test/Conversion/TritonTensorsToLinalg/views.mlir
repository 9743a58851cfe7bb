// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// A block of one repeated number is a fill.
// CHECK-LABEL: func.func @splat(
// CHECK-SAME:    %[[X:[^:]*]]: f32
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK:         linalg.fill ins(%[[X]] : f32) outs(%[[EMPTY]] : tensor<4x8xf32>)
tt.func public @splat(%x: f32) -> tensor<4x8xf32> {
  %0 = tt.splat %x : f32 -> tensor<4x8xf32>
  tt.return %0 : tensor<4x8xf32>
}

// -----

// The only element is read.
// CHECK-LABEL: func.func @unsplat(
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         tensor.extract %{{.*}}[%[[ZERO]], %[[ZERO]]] : tensor<1x1xf32>
tt.func public @unsplat(%x: tensor<1x1xf32>) -> f32 {
  %0 = tt.unsplat %x : tensor<1x1xf32>
  tt.return %0 : f32
}

// -----

// A range is its index, from where it starts.
// CHECK-LABEL: func.func @range(
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<16xi32>)
// CHECK:           %[[INDEX:.*]] = linalg.index 0 : index
// CHECK:           %[[VALUE:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK:           %[[START:.*]] = arith.constant 16 : i32
// CHECK:           arith.addi %[[VALUE]], %[[START]] : i32
tt.func public @range() -> tensor<16xi32> {
  %0 = tt.make_range {start = 16 : i32, end = 32 : i32} : tensor<16xi32>
  tt.return %0 : tensor<16xi32>
}

// -----

// A dimension of size 1 is read at index 0.
// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK: #[[WRITE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @broadcast(
// CHECK:         linalg.generic {indexing_maps = [#[[READ]], #[[WRITE]]], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME:      ins(%{{.*}} : tensor<2x1x1xf32>) outs(%{{.*}} : tensor<2x8x1xf32>)
tt.func public @broadcast(%x: tensor<2x1x1xf32>) -> tensor<2x8x1xf32> {
  %0 = tt.broadcast %x : tensor<2x1x1xf32> -> tensor<2x8x1xf32>
  tt.return %0 : tensor<2x8x1xf32>
}

// -----

// A new dimension joins the group of a neighbour.
// CHECK-LABEL: func.func @expand(
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 8]
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [1, 8, 1]
tt.func public @expand(%x: tensor<8xf32>) -> tensor<1x8x1xf32> {
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<1x8xf32> -> tensor<1x8x1xf32>
  tt.return %1 : tensor<1x8x1xf32>
}

// -----

// One collapse or one expand where the groups allow it ...
// CHECK-LABEL: func.func @reshape_by_groups(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2, 3]] output_shape [8, 2, 2, 2]
tt.func public @reshape_by_groups(%x: tensor<2x4x8xf32>) -> tensor<8x2x2x2xf32> {
  %0 = tt.reshape %x : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %1 = tt.reshape %0 allow_reorder : tensor<8x8xf32> -> tensor<8x2x2x2xf32>
  tt.return %1 : tensor<8x2x2x2xf32>
}

// -----

// ... and both through one dimension otherwise.
// CHECK-LABEL: func.func @reshape_through_flat(
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]] output_shape [8, 3]
tt.func public @reshape_through_flat(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = tt.reshape %x : tensor<4x6xf32> -> tensor<8x3xf32>
  tt.return %0 : tensor<8x3xf32>
}

// -----

// Dimension i of the result is dimension order[i] of the source.
// CHECK-LABEL: func.func @trans(
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<2x4x8xf32>) outs(%{{.*}} : tensor<8x2x4xf32>) permutation = [2, 0, 1]
tt.func public @trans(%x: tensor<2x4x8xf32>) -> tensor<8x2x4xf32> {
  %0 = tt.trans %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  tt.return %0 : tensor<8x2x4xf32>
}
