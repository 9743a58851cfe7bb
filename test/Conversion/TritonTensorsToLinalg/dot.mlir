// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// The accumulator is the destination of the product.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x16xf32>, %[[C:.*]]: tensor<4x16xf32>)
// CHECK:         %[[D:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<8x16xf32>) outs(%[[C]] : tensor<4x16xf32>)
// CHECK:         return %[[D]]
func.func @matrices(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x16xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Tensors of rank 3 are batches.
// CHECK-LABEL: func.func @batches(
// CHECK:         linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x4x8xf16>, tensor<2x8x16xf16>) outs(%{{.*}} : tensor<2x4x16xf32>)
func.func @batches(%a: tensor<2x4x8xf16>, %b: tensor<2x8x16xf16>, %c: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %0 = tt.dot %a, %b, %c : tensor<2x4x8xf16> * tensor<2x8x16xf16> -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// Small operands go in as they are: the product extends them to its own type. How exact its sums must be goes along.
// CHECK-LABEL: func.func @mixed_fp8(
// CHECK-NOT:     arith.extf
// CHECK:         linalg.matmul {tts.max_num_imprecise_acc = 32 : i32} ins(%{{.*}}, %{{.*}} : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2>) outs(%{{.*}} : tensor<4x16xf32>)
func.func @mixed_fp8(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E5M2>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tt.dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : tensor<4x8xf8E4M3FN> * tensor<8x16xf8E5M2> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Sums of other products are in f32 anyway, and without a number they are of 8-bit floats, too.
// CHECK-LABEL: func.func @exact_sums(
// CHECK-COUNT-2: linalg.matmul ins(
func.func @exact_sums(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>, %d: tensor<4x8xf8E5M2>, %e: tensor<8x16xf8E5M2>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tt.dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : tensor<4x8xf16> * tensor<8x16xf16> -> tensor<4x16xf32>
  %1 = tt.dot %d, %e, %0 : tensor<4x8xf8E5M2> * tensor<8x16xf8E5M2> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x8xi8>, tensor<8x1xi8>) outs(%{{.*}} : tensor<1x1xi32>)
func.func @integers(%a: tensor<1x8xi8>, %b: tensor<8x1xi8>, %c: tensor<1x1xi32>) -> tensor<1x1xi32> {
  %0 = tt.dot %a, %b, %c : tensor<1x8xi8> * tensor<8x1xi8> -> tensor<1x1xi32>
  return %0 : tensor<1x1xi32>
}

// A sum in f16 is made in f32 and rounded once; tensor cores may do otherwise.
// CHECK-LABEL: func.func @small_accumulator(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[C:.*]]: tensor<4x4xf16>)
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[C]] : tensor<4x4xf16>) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:           arith.extf
// CHECK:         %[[SUM:.*]] = linalg.matmul {tts.adds_in_half} ins(%[[A]], %[[B]] : tensor<4x8xf16>, tensor<8x4xf16>) outs(%[[WIDE]] : tensor<4x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf16>)
// CHECK:           arith.truncf
func.func @small_accumulator(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = tt.dot %a, %b, %c : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// How operands may be rounded stays on the product.
// CHECK-LABEL: func.func @rounded_operands(
// CHECK:         linalg.matmul {tts.input_precision = "tf32"}
// CHECK:         linalg.matmul {tts.input_precision = "bf16x3"}
func.func @rounded_operands(%a: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tt.dot %a, %a, %c, inputPrecision = tf32 : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = tt.dot %a, %a, %0, inputPrecision = bf16x3 : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Operands of f16 have nothing to round.
// CHECK-LABEL: func.func @nothing_to_round(
// CHECK-NOT:     tts.input_precision
// CHECK:         return
func.func @nothing_to_round(%a: tensor<4x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tt.dot %a, %a, %c, inputPrecision = tf32 : tensor<4x4xf16> * tensor<4x4xf16> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
