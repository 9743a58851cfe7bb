// RUN: triton-shared-opt %s --linalg-extend-dot-operands | FileCheck %s

// A product that says what else holds its operands gets what tensor cores take.

// CHECK-LABEL: func.func @bf16(
// CHECK:         %[[A:.*]] = linalg.generic
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK:         linalg.matmul ins(%[[A]], %{{.*}} : tensor<16x16xbf16>, tensor<16x8xbf16>)
func.func @bf16(%a: tensor<16x16xf32>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul {tts.exact_in = "bf16"} ins(%a, %b : tensor<16x16xf32>, tensor<16x8xbf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @tf32(
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:         linalg.matmul {tts.input_precision = "tf32"} ins(%{{.*}}, %{{.*}} : tensor<16x16xf32>, tensor<16x8xf32>)
func.func @tf32(%a: tensor<16x16xf32>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul {tts.exact_in = "tf32"} ins(%a, %b : tensor<16x16xf32>, tensor<16x8xf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @alike(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul ins(
func.func @alike(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// What is exact as a product of a block and its scales has exact factors: they become bf16 before they are multiplied.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#bytes = affine_map<(d0, d1, d2) -> (d0, d1)>
#rows = affine_map<(d0, d1, d2) -> (d0)>
#same = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[BYTES:.*]]: tensor<16x8xi8>, %[[CODES:.*]]: tensor<16xi8>
// CHECK:         %[[FLOATS:.*]] = linalg.generic {{.*}} ins(%[[BYTES]] : tensor<16x8xi8>) outs(%{{.*}} : tensor<16x8x2xbf16>) attrs =  {tts.unpacks_e2m1 = 2 : i64}
// CHECK:           %[[WIDE:.*]] = arith.uitofp
// CHECK:           %[[NARROW:.*]] = arith.truncf %[[WIDE]] : f32 to bf16
// CHECK:           linalg.yield %[[NARROW]] : bf16
// CHECK:         %[[FACTORS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16xf32>) outs(%{{.*}} : tensor<16xbf16>)
// CHECK:         linalg.generic {{.*}} ins(%[[FLOATS]], %[[FACTORS]] : tensor<16x8x2xbf16>, tensor<16xbf16>) outs(%{{.*}} : tensor<16x8x2xbf16>)
// CHECK:           arith.mulf %{{.*}} : bf16
// CHECK:         %[[A:.*]] = tensor.collapse_shape {{.*}} : tensor<16x8x2xbf16> into tensor<16x16xbf16>
// CHECK:         linalg.matmul ins(%[[A]], %{{.*}} : tensor<16x16xbf16>, tensor<16x8xbf16>)
func.func @scaled(%bytes: tensor<16x8xi8>, %codes: tensor<16xi8>, %e: tensor<16xf32>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>, %out: tensor<16x8x2xf32>) -> tensor<16x8xf32> {
  %0 = linalg.generic {indexing_maps = [#bytes, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%bytes : tensor<16x8xi8>) outs(%out : tensor<16x8x2xf32>) attrs = {tts.unpacks_e2m1 = 2 : i64} {
  ^bb0(%byte: i8, %o: f32):
    %f = arith.uitofp %byte : i8 to f32
    linalg.yield %f : f32
  } -> tensor<16x8x2xf32>
  %scales = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%codes : tensor<16xi8>) outs(%e : tensor<16xf32>) {
  ^bb0(%code: i8, %o: f32):
    %s = arith.uitofp %code : i8 to f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %scales : tensor<16x8x2xf32>, tensor<16xf32>) outs(%out : tensor<16x8x2xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %p = arith.mulf %x, %s : f32
    linalg.yield %p : f32
  } -> tensor<16x8x2xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<16x8x2xf32> into tensor<16x16xf32>
  %3 = linalg.matmul {tts.exact_in = "bf16"} ins(%2, %b : tensor<16x16xf32>, tensor<16x8xbf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// A scale of more bits is one that bf16 may not hold: it is the product that is rounded.
// CHECK-LABEL: func.func @wide_scale(
// CHECK:         linalg.generic
// CHECK:           arith.mulf %{{.*}} : f32
// CHECK:         arith.truncf
// CHECK:         linalg.matmul
#two = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @wide_scale(%a: tensor<16x16xf8E4M3FN>, %scales: tensor<16xf32>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>, %out: tensor<16x16xf32>) -> tensor<16x8xf32> {
  %0 = linalg.generic {indexing_maps = [#two, #row, #two], iterator_types = ["parallel", "parallel"]} ins(%a, %scales : tensor<16x16xf8E4M3FN>, tensor<16xf32>) outs(%out : tensor<16x16xf32>) {
  ^bb0(%x: f8E4M3FN, %s: f32, %o: f32):
    %w = arith.extf %x : f8E4M3FN to f32
    %p = arith.mulf %w, %s : f32
    linalg.yield %p : f32
  } -> tensor<16x16xf32>
  %1 = linalg.matmul {tts.exact_in = "bf16"} ins(%0, %b : tensor<16x16xf32>, tensor<16x8xbf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
