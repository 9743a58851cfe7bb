// Reductions and matrix products are operations on tiles.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// A start that changes nothing is left out. What is combined so far comes first.
// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xi32>
func.func @neutral(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  // CHECK: %[[SUM:.*]] = cta.reduce %[[X]] axis 1 : (tensor<4x8xi32>) -> tensor<4xi32> {
  // CHECK: ^bb0(%[[LEFT:.*]]: i32, %[[RIGHT:.*]]: i32):
  // CHECK: %[[BOTH:.*]] = arith.addi %[[RIGHT]], %[[LEFT]] : i32
  // CHECK: cta.yield %[[BOTH]]
  // CHECK: return %[[SUM]]
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %0 = linalg.reduce ins(%x : tensor<4x8xi32>) outs(%init : tensor<4xi32>) dimensions = [1]
    (%in: i32, %sum: i32) {
      %next = arith.addi %in, %sum : i32
      linalg.yield %next : i32
    }
  return %0 : tensor<4xi32>
}

// Any other start is combined with the result, on its left.
// CHECK-LABEL: func.func @start(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xi32>, %[[INIT:[^:]*]]: tensor<4xi32>
func.func @start(%x: tensor<4x8xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: %[[SUM:.*]] = cta.reduce %[[X]] axis 1
  // CHECK: %[[ALL:.*]] = arith.subi %[[INIT]], %[[SUM]] : tensor<4xi32>
  // CHECK: return %[[ALL]]
  %0 = linalg.reduce ins(%x : tensor<4x8xi32>) outs(%init : tensor<4xi32>) dimensions = [1]
    (%in: i32, %sum: i32) {
      %next = arith.subi %sum, %in : i32
      linalg.yield %next : i32
    }
  return %0 : tensor<4xi32>
}

// A reduction that starts from the first elements is one of all elements.
// CHECK-LABEL: func.func @first(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xi32>
func.func @first(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  // CHECK-NOT: cta.lookup
  // CHECK: %[[BEST:.*]] = cta.reduce %[[X]] axis 1 : (tensor<4x8xi32>) -> tensor<4xi32>
  // CHECK: return %[[BEST]]
  %rest = tensor.extract_slice %x[0, 1] [4, 7] [1, 1] : tensor<4x8xi32> to tensor<4x7xi32>
  %first = tensor.extract_slice %x[0, 0] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4xi32>
  %0 = linalg.reduce ins(%rest : tensor<4x7xi32>) outs(%first : tensor<4xi32>) dimensions = [1]
    (%in: i32, %best: i32) {
      %next = arith.maxsi %best, %in : i32
      linalg.yield %next : i32
    }
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x32xf16>, %[[B:[^:]*]]: tensor<32x8xf16>, %[[C:[^:]*]]: tensor<16x8xf32>
func.func @product(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: cta.dot %[[A]], %[[B]], %[[C]] precision "tf32" imprecise 64 {tts.adds_in_half} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = linalg.matmul {tts.adds_in_half, tts.input_precision = "tf32", tts.max_num_imprecise_acc = 64 : i32} ins(%a, %b : tensor<16x32xf16>, tensor<32x8xf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
