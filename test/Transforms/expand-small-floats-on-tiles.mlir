// On a GPU, tiles of 8-bit floats are widened and narrowed by words later; anything else is spelled out here.
// RUN: triton-shared-opt %s --expand-small-floats=keep-bfloat | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @tile(
// CHECK: arith.extf %{{.*}} : f8E5M2 to f32
func.func @tile(%x: tensor<8xf8E5M2>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf8E5M2>) outs(%out : tensor<8xf32>) {
  ^bb0(%in: f8E5M2, %o: f32):
    %1 = arith.extf %in : f8E5M2 to f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @format_of_others(
// CHECK-NOT: arith.extf
func.func @format_of_others(%x: tensor<8xf8E5M2FNUZ>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf8E5M2FNUZ>) outs(%out : tensor<8xf32>) {
  ^bb0(%in: f8E5M2FNUZ, %o: f32):
    %1 = arith.extf %in : f8E5M2FNUZ to f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @sum(
// CHECK-NOT: arith.extf
func.func @sum(%x: tensor<8xf8E5M2>, %out: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#map, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8xf8E5M2>) outs(%out : tensor<f32>) {
  ^bb0(%in: f8E5M2, %o: f32):
    %1 = arith.extf %in : f8E5M2 to f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK-NOT: arith.extf
func.func @scalar(%x: f8E4M3FN) -> f32 {
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @narrowed(
// CHECK: arith.truncf %{{.*}} : f32 to f8E5M2
func.func @narrowed(%x: tensor<8xf32>, %out: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  %low = arith.constant -5.734400e+04 : f32
  %high = arith.constant 5.734400e+04 : f32
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%out : tensor<8xf8E5M2>) {
  ^bb0(%in: f32, %o: f8E5M2):
    %1 = arith.maximumf %in, %low : f32
    %2 = arith.minimumf %1, %high : f32
    %3 = arith.truncf %2 : f32 to f8E5M2
    linalg.yield %3 : f8E5M2
  } -> tensor<8xf8E5M2>
  return %0 : tensor<8xf8E5M2>
}

// A GPU would cut what this one makes infinite.
// CHECK-LABEL: func.func @beyond(
// CHECK-NOT: arith.truncf {{.*}} to f8E5M2
func.func @beyond(%x: tensor<8xf32>, %out: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%out : tensor<8xf8E5M2>) {
  ^bb0(%in: f32, %o: f8E5M2):
    %1 = arith.truncf %in : f32 to f8E5M2
    linalg.yield %1 : f8E5M2
  } -> tensor<8xf8E5M2>
  return %0 : tensor<8xf8E5M2>
}

// Nor does it go from f64 in one step, or towards zero.
// CHECK-LABEL: func.func @other_ways(
// CHECK-NOT: arith.truncf {{.*}} to f8E5M2
func.func @other_ways(%x: tensor<8xf64>, %out: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  %low = arith.constant -5.734400e+04 : f64
  %high = arith.constant 5.734400e+04 : f64
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf64>) outs(%out : tensor<8xf8E5M2>) {
  ^bb0(%in: f64, %o: f8E5M2):
    %1 = arith.maximumf %in, %low : f64
    %2 = arith.minimumf %1, %high : f64
    %3 = arith.truncf %2 : f64 to f8E5M2
    linalg.yield %3 : f8E5M2
  } -> tensor<8xf8E5M2>
  return %0 : tensor<8xf8E5M2>
}
