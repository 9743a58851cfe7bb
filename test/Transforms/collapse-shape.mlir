// RUN: triton-shared-opt %s --collapse-shape | FileCheck %s

// A block of one number is a line of it.
// CHECK-LABEL: func.func @fill(
// CHECK:         %[[LINE:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<8x4xf32> into tensor<32xf32>
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[LINE]] : tensor<32xf32>)
// CHECK:         tensor.expand_shape {{.*}} output_shape [8, 4]
func.func @fill(%x: f32) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.fill ins(%x : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Dimensions that a transposition keeps together are one.
// CHECK-LABEL: func.func @transpose(
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<2x12xf32>) outs(%{{.*}} : tensor<12x2xf32>) permutation = [1, 0]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %e = tensor.empty() : tensor<3x4x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<3x4x2xf32>) permutation = [1, 2, 0]
  return %0 : tensor<3x4x2xf32>
}

// What is summed up is not one with what stays.
// CHECK-LABEL: func.func @reduce(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<6x20xf32>) outs(%{{.*}} : tensor<6xf32>)
func.func @reduce(%x: tensor<2x3x4x5xf32>, %zero: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4x5xf32>) outs(%zero : tensor<2x3xf32>) dimensions = [2, 3]
  return %0 : tensor<2x3xf32>
}

// A block that is read by rows in one operand only stays as it is.
// CHECK-LABEL: func.func @add_a_row(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
func.func @add_a_row(%row: tensor<4xf32>, %to: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<4xf32>) outs(%to : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
