// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// An element is read where the index says along the axis, else at its own place;
// no index leads out of the block.
// CHECK-LABEL: func.func @along_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<4x16xf32>, %[[I:.*]]: tensor<4x8xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[I]] : tensor<4x8xi32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: i32, %{{.*}}: f32):
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           %[[INDEX:.*]] = arith.index_castui %[[IN]] : i32 to index
// CHECK:           %[[LAST:.*]] = arith.constant 15 : index
// CHECK:           %[[COLUMN:.*]] = arith.minui %[[INDEX]], %[[LAST]]
// CHECK:           tensor.extract %[[X]][%[[ROW]], %[[COLUMN]]]
func.func @along_rows(%x: tensor<4x16xf32>, %i: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x16xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @along_columns(
// CHECK:           %[[COLUMN:.*]] = linalg.index 1
// CHECK:           arith.index_castui %{{.*}} : i8 to index
// CHECK:           arith.constant 255 : index
// CHECK:           %[[ROW:.*]] = arith.minui
// CHECK:           tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]]
func.func @along_columns(%x: tensor<256x8xf32>, %i: tensor<4x8xi8>) -> tensor<4x8xf32> {
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<256x8xf32>, tensor<4x8xi8>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
