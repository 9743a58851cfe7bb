// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// A scan stays one operation, with its region.
// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
// CHECK:         %[[S:.*]] = tts.scan %[[X]] axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[SUM]], %[[NEW]]
// CHECK-NEXT:      tts.yield %[[NEXT]]
// CHECK:         return %[[S]]
func.func @running_sum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    tt.scan.return %1 : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// So does one of two operands, in reverse.
// CHECK-LABEL: func.func @reverse_of_two(
// CHECK-SAME:    %[[F:.*]]: tensor<4x8xi32>, %[[V:.*]]: tensor<4x8xf32>)
// CHECK:         %[[S:.*]]:2 = tts.scan %[[F]], %[[V]] axis 1 reverse : (tensor<4x8xi32>, tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>) {
// CHECK-NEXT:    ^bb0(%[[AF:.*]]: i32, %[[AV:.*]]: f32, %[[BF:.*]]: i32, %[[BV:.*]]: f32):
// CHECK-NEXT:      %[[OR:.*]] = arith.ori %[[AF]], %[[BF]]
// CHECK-NEXT:      %[[ADD:.*]] = arith.addf %[[AV]], %[[BV]]
// CHECK-NEXT:      tts.yield %[[OR]], %[[ADD]]
// CHECK:         return %[[S]]#0, %[[S]]#1
func.func @reverse_of_two(%f: tensor<4x8xi32>, %v: tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>) {
  %0:2 = "tt.scan"(%f, %v) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%af: i32, %av: f32, %bf: i32, %bv: f32):
    %1 = arith.ori %af, %bf : i32
    %2 = arith.addf %av, %bv : f32
    tt.scan.return %1, %2 : i32, f32
  }) : (tensor<4x8xi32>, tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>)
  return %0#0, %0#1 : tensor<4x8xi32>, tensor<4x8xf32>
}

// Operations of Triton in the region are lowered, too.
// CHECK-LABEL: func.func @region_of_triton(
// CHECK:         tts.scan
// CHECK-NOT:     tt.clampf
// CHECK:           tts.yield
func.func @region_of_triton(%x: tensor<8xf32>, %least: f32, %most: f32) -> tensor<8xf32> {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    %2 = tt.clampf %1, %least, %most, propagateNan = none : f32
    tt.scan.return %2 : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Sums of small floats run in f32, and each of them is rounded.
// CHECK-LABEL: func.func @running_sum_of_halves(
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK:           arith.extf
// CHECK:         %[[S:.*]] = tts.scan %[[WIDE]] axis 0 : (tensor<8xf32>) -> tensor<8xf32>
// CHECK:           arith.addf {{.*}} : f32
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xf16>)
// CHECK:           arith.truncf
func.func @running_sum_of_halves(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f16, %b: f16):
    %1 = arith.addf %a, %b : f16
    tt.scan.return %1 : f16
  }) : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// Other regions compute in their own type.
// CHECK-LABEL: func.func @running_product_of_halves(
// CHECK:         tts.scan {{.*}} : (tensor<8xf16>) -> tensor<8xf16>
// CHECK:           arith.mulf {{.*}} : f16
func.func @running_product_of_halves(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f16, %b: f16):
    %1 = arith.mulf %a, %b : f16
    tt.scan.return %1 : f16
  }) : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// Sums and extrema of small floats are found in f32, by the operation of the region.
// CHECK-LABEL: func.func @small_floats(
// CHECK:         tts.scan {{.*}} : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK:           arith.maximumf {{.*}} : f32
// CHECK:         tts.scan {{.*}} : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK:           arith.minnumf {{.*}} : f32
func.func @small_floats(%x: tensor<8xbf16>, %y: tensor<8xf16>) -> (tensor<8xbf16>, tensor<8xf16>) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: bf16, %b: bf16):
    %1 = arith.maximumf %a, %b : bf16
    tt.scan.return %1 : bf16
  }) : (tensor<8xbf16>) -> tensor<8xbf16>
  %2 = "tt.scan"(%y) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f16, %b: f16):
    %3 = arith.minnumf %a, %b : f16
    tt.scan.return %3 : f16
  }) : (tensor<8xf16>) -> tensor<8xf16>
  return %0, %2 : tensor<8xbf16>, tensor<8xf16>
}
