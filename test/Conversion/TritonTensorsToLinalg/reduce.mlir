// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// Small floats are summed in f32, from zero, and rounded once: the golden form.
// CHECK-LABEL: func.func @sum_of_bf16(
// CHECK-SAME:    %[[X:.*]]: tensor<128xbf16>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[ALLOC:.*]] = bufferization.alloc_tensor() : tensor<f32>
// CHECK:         %[[INIT:.*]] = tensor.insert %[[ZERO]] into %[[ALLOC]][]
// CHECK:         %[[SUM:.*]] = linalg.reduce ins(%[[X]] : tensor<128xbf16>) outs(%[[INIT]] : tensor<f32>) dimensions = [0]
// CHECK-NEXT:      (%[[IN:.*]]: bf16, %[[ACC:.*]]: f32) {
// CHECK-NEXT:        %[[WIDE:.*]] = arith.extf %[[IN]] : bf16 to f32
// CHECK-NEXT:        %[[ADD:.*]] = arith.addf %[[WIDE]], %[[ACC]] : f32
// CHECK-NEXT:        linalg.yield %[[ADD]] : f32
// CHECK:         %[[SCALAR:.*]] = tensor.extract %[[SUM]][]
// CHECK:         arith.truncf %[[SCALAR]] : f32 to bf16
func.func @sum_of_bf16(%x: tensor<128xbf16>) -> bf16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %1 = arith.addf %a, %b : bf16
    tt.reduce.return %1 : bf16
  }) : (tensor<128xbf16>) -> bf16
  return %0 : bf16
}

// The largest of them is one of them in f32, too, which processors compare.
// CHECK-LABEL: func.func @largest_of_f16(
// CHECK:         linalg.reduce ins(%{{.*}} : tensor<128xf16>) outs(%{{.*}} : tensor<f32>) dimensions = [0]
// CHECK:           %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:      arith.maximumf %[[WIDE]], %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @largest_of_f16(%x: tensor<128xf16>) -> f16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %1 = arith.maximumf %a, %b : f16
    tt.reduce.return %1 : f16
  }) : (tensor<128xf16>) -> f16
  return %0 : f16
}

// A block that is left is filled with the neutral element.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         linalg.reduce ins(%{{.*}} : tensor<4x8xf16>) outs(%[[INIT]] : tensor<4xf32>) dimensions = [1]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf16>)
// CHECK:           arith.truncf
func.func @sum_of_rows(%x: tensor<4x8xf16>) -> tensor<4xf16> {
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %1 = arith.addf %a, %b : f16
    tt.reduce.return %1 : f16
  }) : (tensor<4x8xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// The maximum that prefers numbers starts from NaN, so that a row of NaN is NaN.
// CHECK-LABEL: func.func @maximum_of_numbers(
// CHECK:         %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK:         linalg.fill ins(%[[NAN]] : f32)
// CHECK:         linalg.reduce
// CHECK:           arith.maxnumf
func.func @maximum_of_numbers(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.maxnumf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The maximum that spreads NaN starts from minus infinity.
// CHECK-LABEL: func.func @maximum_with_nan(
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         linalg.reduce
// CHECK:           arith.maximumf
func.func @maximum_with_nan(%x: tensor<8xf32>) -> f32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.maximumf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  return %0 : f32
}

// A conjunction of bits starts from all ones.
// CHECK-LABEL: func.func @conjunction(
// CHECK:         arith.constant -1 : i32
// CHECK:         linalg.reduce
// CHECK:           arith.andi
func.func @conjunction(%x: tensor<8xi32>) -> i32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %1 = arith.andi %a, %b : i32
    tt.reduce.return %1 : i32
  }) : (tensor<8xi32>) -> i32
  return %0 : i32
}

// The smallest signed number is where a signed maximum starts.
// CHECK-LABEL: func.func @signed_maximum(
// CHECK:         arith.constant -32768 : i16
func.func @signed_maximum(%x: tensor<8xi16>) -> i16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i16, %b: i16):
    %1 = arith.maxsi %a, %b : i16
    tt.reduce.return %1 : i16
  }) : (tensor<8xi16>) -> i16
  return %0 : i16
}

// The largest unsigned number is where an unsigned minimum starts.
// CHECK-LABEL: func.func @unsigned_minimum(
// CHECK:         arith.constant -1 : i16
func.func @unsigned_minimum(%x: tensor<8xi16>) -> i16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i16, %b: i16):
    %1 = arith.minui %a, %b : i16
    tt.reduce.return %1 : i16
  }) : (tensor<8xi16>) -> i16
  return %0 : i16
}

// Any other region starts from the first slice. What is combined so far is its
// left half: ties go to the earlier element.
// CHECK-LABEL: func.func @arg_max(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4x8xi32>)
// CHECK:         %[[XP:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
// CHECK:         %[[X0:.*]] = tensor.collapse_shape %[[XP]] {{\[}}[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
// CHECK:         %[[IP:.*]] = tensor.extract_slice %[[I]][0, 0] [4, 1] [1, 1] : tensor<4x8xi32> to tensor<4x1xi32>
// CHECK:         %[[I0:.*]] = tensor.collapse_shape %[[IP]]
// CHECK-DAG:     %[[XS:.*]] = tensor.extract_slice %[[X]][0, 1] [4, 7] [1, 1] : tensor<4x8xf32> to tensor<4x7xf32>
// CHECK-DAG:     %[[IS:.*]] = tensor.extract_slice %[[I]][0, 1] [4, 7] [1, 1] : tensor<4x8xi32> to tensor<4x7xi32>
// CHECK:         linalg.reduce ins(%[[XS]], %[[IS]] : tensor<4x7xf32>, tensor<4x7xi32>) outs(%[[X0]], %[[I0]] : tensor<4xf32>, tensor<4xi32>) dimensions = [1]
// CHECK-NEXT:      (%[[NEW:.*]]: f32, %[[NEW_I:.*]]: i32, %[[BEST:.*]]: f32, %[[BEST_I:.*]]: i32)
// CHECK:           %[[LEFT:.*]] = arith.cmpf ogt, %[[BEST]], %[[NEW]] : f32
// CHECK:           arith.select %[[LEFT]], %[[BEST]], %[[NEW]] : f32
// CHECK:           arith.select %[[LEFT]], %[[BEST_I]], %[[NEW_I]] : i32
func.func @arg_max(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %1 = arith.cmpf ogt, %a, %b : f32
    %2 = arith.select %1, %a, %b : f32
    %3 = arith.select %1, %ai, %bi : i32
    tt.reduce.return %2, %3 : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// Along a dimension of size 1 there is nothing to combine.
// CHECK-LABEL: func.func @one_element(
// CHECK-SAME:    %[[X:.*]]: tensor<1xf32>)
// CHECK-NOT:     linalg.reduce
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[X]][0] [1] [1]
// CHECK:         %[[FIRST:.*]] = tensor.collapse_shape %[[PART]] [] : tensor<1xf32> into tensor<f32>
// CHECK:         tensor.extract %[[FIRST]][]
func.func @one_element(%x: tensor<1xf32>) -> f32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<1xf32>) -> f32
  return %0 : f32
}

// A region that uses one element twice is not the operation alone.
// CHECK-LABEL: func.func @sum_of_last(
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.reduce
func.func @sum_of_last(%x: tensor<8xi32>) -> i32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %1 = arith.addi %b, %b : i32
    tt.reduce.return %1 : i32
  }) : (tensor<8xi32>) -> i32
  return %0 : i32
}

// Operations of Triton in the region are lowered as well.
// CHECK-LABEL: func.func @clamped_product(
// CHECK:         linalg.reduce
// CHECK-NOT:       tt.clampf
// CHECK:         return
func.func @clamped_product(%x: tensor<2x8xf32>, %lo: f32, %hi: f32) -> tensor<2xf32> {
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = tt.clampf %1, %lo, %hi, propagateNan = none : f32
    tt.reduce.return %2 : f32
  }) : (tensor<2x8xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A format without infinity has nothing below its numbers to start from.
// CHECK-LABEL: func.func @maximum_without_infinity(
// CHECK:         tensor.extract_slice %{{.*}}[0] [1] [1]
// CHECK:         linalg.reduce
func.func @maximum_without_infinity(%x: tensor<8xf8E4M3FN>) -> f8E4M3FN {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %1 = arith.maximumf %a, %b : f8E4M3FN
    tt.reduce.return %1 : f8E4M3FN
  }) : (tensor<8xf8E4M3FN>) -> f8E4M3FN
  return %0 : f8E4M3FN
}
