// RUN: triton-shared-opt %s --expand-small-floats --split-input-file | FileCheck %s

// Widening bf16 is a shift.
// CHECK-LABEL: func.func @widen_bf16(
// CHECK-NOT:     arith.extf
// CHECK:         arith.bitcast %arg0 : bf16 to i16
// CHECK:         arith.shli
// CHECK:         arith.bitcast %{{.*}} : i32 to f32
func.func @widen_bf16(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}

// -----

// Subnormals of 8 bits are multiples of the smallest one.
// CHECK-LABEL: func.func @widen_8_bits(
// CHECK-NOT:     arith.extf
// CHECK-DAG:     arith.constant 0.001953125 : f32
// CHECK:         arith.mulf
func.func @widen_8_bits(%x: f8E4M3FN) -> f32 {
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}

// -----

// bf16 is the upper half of an f32, rounded as one number with its sign; a NaN stays one.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     arith.truncf
// CHECK:         %[[RAW:.*]] = arith.bitcast %arg0 : f32 to i32
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0 : f32
// CHECK:         %[[QUIET:.*]] = arith.ori
// CHECK:         %[[UP:.*]] = arith.addi %[[RAW]],
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.shrui %[[UP]],
// CHECK-NEXT:    arith.select %[[NAN]], %[[QUIET]], %[[ROUNDED]] : i32
// CHECK:         arith.bitcast %{{.*}} : i16 to bf16
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %arg0 : f32 to i32
// CHECK:         arith.bitcast %{{.*}} : i8 to f8E5M2
func.func @narrow(%x: f32) -> (bf16, f8E5M2) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.truncf %x to_nearest_even : f32 to f8E5M2
  return %0, %1 : bf16, f8E5M2
}

// -----

// What the hardware does right stays; it knows one rounding mode.
// CHECK-LABEL: func.func @halves(
// CHECK:         arith.extf %arg0 : f16 to f32
// CHECK:         arith.truncf %arg1 : f32 to f16
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.*}} : i16 to f16
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.*}} : i16 to f16
func.func @halves(%h: f16, %x: f32, %y: f64) -> (f32, f16, f16, f16) {
  %0 = arith.extf %h : f16 to f32
  %1 = arith.truncf %x : f32 to f16
  %2 = arith.truncf %x toward_zero : f32 to f16
  %3 = arith.truncf %y : f64 to f16
  return %0, %1, %2, %3 : f32, f16, f16, f16
}

// -----

// f64 holds the product of two halves, and what is lost of the sum is no half
// of an f16's last bit.
// CHECK-LABEL: func.func @fma(
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %{{.*}} : f64
// CHECK:         %[[SUM:.*]] = arith.addf %[[PRODUCT]], %{{.*}} : f64
// CHECK-NOT:     arith.subf
// CHECK:         return
func.func @fma(%a: f16, %b: f16, %c: f16) -> f16 {
  %0 = math.fma %a, %b, %c : f16
  return %0 : f16
}

// -----

// A bf16 may be so small that it is lost, but not what is on which side of the
// middle of two others: the last bit of the sum says so.
// CHECK-LABEL: func.func @fma_far_apart(
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %{{.*}} : f64
// CHECK:         %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[C:.*]] : f64
// CHECK:         %[[TAKEN:.*]] = arith.subf %[[SUM]], %[[PRODUCT]]
// CHECK:         arith.subf %[[C]], %[[TAKEN]]
// CHECK:         %[[INEXACT:.*]] = arith.cmpf one
// CHECK:         %[[MARKED:.*]] = arith.ori %{{.*}}, %c1_i64
// CHECK:         arith.select %[[INEXACT]], %[[MARKED]]
func.func @fma_far_apart(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  %0 = math.fma %a, %b, %c : bf16
  return %0 : bf16
}

// -----

// A conversion to f16 and back rounds: no later fold may drop the pair.
// CHECK-LABEL: func.func @rounds_between(
// CHECK:         %[[HALF:.*]] = arith.truncf %arg0 : f32 to f16
// CHECK:         arith.extf %[[HALF]] : f16 to f32
func.func @rounds_between(%x: f32) -> f32 {
  %0 = arith.truncf %x fastmath<contract> : f32 to f16
  %1 = arith.extf %0 fastmath<contract> : f16 to f32
  return %1 : f32
}

// -----

// A product by name has one body.
// CHECK-LABEL: func.func @product(
// CHECK-NOT:     arith
// CHECK:         linalg.matmul ins(%arg0, %arg0 : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>)
func.func @product(%a: tensor<4x4xf8E5M2>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
