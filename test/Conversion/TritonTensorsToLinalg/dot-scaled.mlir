// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// Maps of the operands of f8 with 32 elements to a scale: loops are the row,
// the scale, and the element.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SCALES:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW_SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN_SCALES:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>

// Each operand is scaled on its own, by scales that are decoded before; the rest is a product.
// CHECK-LABEL: func.func @fp8(
// CHECK-SAME:    %[[A:.*]]: tensor<4x64xf8E4M3FN>, %[[SA:.*]]: tensor<4x2xi8>, %[[B:.*]]: tensor<64x8xf8E5M2>, %[[SB:.*]]: tensor<8x2xi8>, %[[C:.*]]: tensor<4x8xf32>)
// CHECK:         %[[EA:.*]] = tensor.expand_shape %[[A]] {{\[}}[0], [1, 2]] output_shape [4, 2, 32]
// CHECK:         %[[DA:.*]] = linalg.generic {indexing_maps = [#[[SCALES]], #[[SCALES]]]{{.*}}} ins(%[[SA]] : tensor<4x2xi8>) outs(%{{.*}} : tensor<4x2xf32>)
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i8, %{{.*}}: f32):
// CHECK:           %[[EXPONENT:.*]] = arith.extui %[[S]] : i8 to i32
// CHECK:           %[[C23:.*]] = arith.constant 23 : i32
// CHECK:           arith.shli %[[EXPONENT]], %[[C23]]
// CHECK:           %[[FACTOR:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK:           linalg.yield %[[FACTOR]]
// CHECK:         %[[GA:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[ROW_SCALES]], #[[ROWS]]]{{.*}}} ins(%[[EA]], %[[DA]] : tensor<4x2x32xf8E4M3FN>, tensor<4x2xf32>) outs(%{{.*}} : tensor<4x2x32xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f8E4M3FN, %[[SCALE:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[WIDE:.*]] = arith.extf %[[X]] : f8E4M3FN to f32
// CHECK:           arith.mulf %[[WIDE]], %[[SCALE]]
// CHECK:         %[[FA:.*]] = tensor.collapse_shape %[[GA]] {{\[}}[0], [1, 2]] : tensor<4x2x32xf32> into tensor<4x64xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMN_SCALES]], #[[ROWS]]]{{.*}}} ins(%{{.*}}, %{{.*}} : tensor<2x32x8xf8E5M2>, tensor<8x2xf32>)
// CHECK:         linalg.matmul {tts.exact_in = "bf16"} ins(%[[FA]], %{{.*}} : tensor<4x64xf32>, tensor<64x8xf32>) outs(%[[C]] : tensor<4x8xf32>)
func.func @fp8(%a: tensor<4x64xf8E4M3FN>, %sa: tensor<4x2xi8>, %b: tensor<64x8xf8E5M2>, %sb: tensor<8x2xi8>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<4x64xf8E4M3FN>, tensor<4x2xi8> * tensor<64x8xf8E5M2>, tensor<8x2xi8> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Two e2m1 in a byte are one more loop of size 2, innermost on the left ...
// CHECK-LABEL: func.func @fp4(
// CHECK-SAME:    %[[A:.*]]: tensor<4x32xi8>, %[[SA:.*]]: tensor<4x2xi8>, %[[B:.*]]: tensor<32x8xi8>
// CHECK:         tensor.expand_shape %[[A]] {{\[}}[0], [1, 2]] output_shape [4, 2, 16]
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2x16x2xf32>) attrs =  {tts.unpacks_e2m1 = 3 : i64}
// CHECK:           linalg.index 3
// CHECK:           %[[CODE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.cmpi ult
// CHECK:           arith.select
// CHECK:           arith.bitcast %{{.*}} : i32 to f32
// CHECK:           linalg.yield
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : tensor<4x2x16x2xf32> into tensor<4x64xf32>
// ... and between rows and columns on the right.
// CHECK:         linalg.generic {{.*}} ins(%[[B]] : tensor<32x8xi8>) outs(%{{.*}} : tensor<32x2x8xf32>) attrs =  {tts.unpacks_e2m1 = 1 : i64}
// CHECK:           linalg.index 1
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<32x2x8xf32> into tensor<64x8xf32>
func.func @fp4(%a: tensor<4x32xi8>, %sa: tensor<4x2xi8>, %b: tensor<32x8xi8>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = true} : tensor<4x32xi8>, tensor<4x2xi8> * tensor<32x8xi8> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Six bits are decoded by their fields: a multiple of the smallest number, and a sign.
// CHECK-LABEL: func.func @fp6(
// CHECK-SAME:    %[[A:.*]]: tensor<4x64xi8>, %[[SA:.*]]: tensor<4x2xi8>, %[[B:.*]]: tensor<64x8xi8>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x2x32xi8>, tensor<4x2xf32>)
// CHECK:           arith.constant 1.250000e-01 : f32
// CHECK:           %[[LEFT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:      arith.mulf %[[LEFT]],
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x32x8xi8>, tensor<8x2xf32>)
// CHECK:           arith.constant 6.250000e-02 : f32
func.func @fp6(%a: tensor<4x64xi8>, %sa: tensor<4x2xi8>, %b: tensor<64x8xi8>, %sb: tensor<8x2xi8>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m3 rhs = e3m2 {fastMath = true} : tensor<4x64xi8>, tensor<4x2xi8> * tensor<64x8xi8>, tensor<8x2xi8> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Packed along rows and columns, they are in the scales' dimension as well.
// CHECK-LABEL: func.func @fp4_not_along_the_sum(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<2x2x32xi8>) outs(%{{.*}} : tensor<2x2x2x32xf32>) attrs =  {tts.unpacks_e2m1 = 1 : i64}
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x2x2x32xf32>, tensor<2x2x2xf32>) outs(%{{.*}} : tensor<2x2x2x32xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2, 3]] : tensor<2x2x2x32xf32> into tensor<4x64xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64x4xi8>) outs(%{{.*}} : tensor<64x4x2xf32>)
func.func @fp4_not_along_the_sum(%a: tensor<2x64xi8>, %sa: tensor<4x2xi8>, %b: tensor<64x4xi8>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<2x64xi8>, tensor<4x2xi8> * tensor<64x4xi8> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Floats without a scale need no loop; batches keep their dimension.
// CHECK-LABEL: func.func @batch_with_plain_operand(
// CHECK-SAME:    %[[A:.*]]: tensor<2x4x32xbf16>
// CHECK-COUNT-2: linalg.generic
// CHECK:         linalg.batch_matmul {tts.exact_in = "tf32"} ins(%[[A]], %{{.*}} : tensor<2x4x32xbf16>, tensor<2x32x8xf32>)
func.func @batch_with_plain_operand(%a: tensor<2x4x32xbf16>, %b: tensor<2x32x8xf16>, %sb: tensor<2x8x1xi8>, %c: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tt.dot_scaled %a, %b scale %sb, %c lhs = bf16 rhs = fp16 {fastMath = false} : tensor<2x4x32xbf16> * tensor<2x32x8xf16>, tensor<2x8x1xi8> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// A scale that is a float belongs to 16 elements.
// CHECK-LABEL: func.func @float_scale(
// CHECK:           arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4x8x2xf32>, tensor<4x4xf32>)
func.func @float_scale(%a: tensor<4x32xi8>, %sa: tensor<4x4xf8E4M3FN>, %b: tensor<64x8xbf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<4x32xi8>, tensor<4x4xf8E4M3FN> * tensor<64x8xbf16> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// So may one that is an exponent.
// CHECK-LABEL: func.func @exponents_of_sixteen(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x2x16xf8E5M2>, tensor<4x2xf32>)
func.func @exponents_of_sixteen(%a: tensor<4x32xf8E5M2>, %sa: tensor<4x2xi8>, %b: tensor<32x8xbf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.dot_scaled %a scale %sa, %b, %c lhs = e5m2 rhs = bf16 {fastMath = false} : tensor<4x32xf8E5M2>, tensor<4x2xi8> * tensor<32x8xbf16> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
