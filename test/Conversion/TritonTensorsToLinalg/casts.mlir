// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// A wider format holds every number of a narrower one.
// CHECK-LABEL: func.func @widen(
// CHECK:         arith.extf %{{.*}} : f8E4M3FN to f16
// CHECK:         arith.extf %{{.*}} : f16 to f32
tt.func public @widen(%x: tensor<8xf8E4M3FN>) -> tensor<8xf32> {
  %0 = tt.fp_to_fp %x : tensor<8xf8E4M3FN> -> tensor<8xf16>
  %1 = tt.fp_to_fp %0 : tensor<8xf16> -> tensor<8xf32>
  tt.return %1 : tensor<8xf32>
}

// -----

// To nearest is what arith does.
// CHECK-LABEL: func.func @nearest(
// CHECK-NOT:     arith.maximumf
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
tt.func public @nearest(%x: f32) -> bf16 {
  %0 = tt.fp_to_fp %x, rounding = rtne : f32 -> bf16
  tt.return %0 : bf16
}

// -----

// 8-bit formats stop at their largest number.
// CHECK-LABEL: func.func @saturate(
// CHECK-DAG:     %[[LOW:.*]] = arith.constant -4.480000e+02 : f32
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 4.480000e+02 : f32
// CHECK:         %[[RAISED:.*]] = arith.maximumf %{{.*}}, %[[LOW]] : f32
// CHECK:         %[[INSIDE:.*]] = arith.minimumf %[[RAISED]], %[[HIGH]] : f32
// CHECK:         arith.truncf %[[INSIDE]] : f32 to f8E4M3FN
tt.func public @saturate(%x: f32) -> f8E4M3FN {
  %0 = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  tt.return %0 : f8E4M3FN
}

// -----

// Towards zero is to nearest, one back where the magnitude grew.
// CHECK-LABEL: func.func @towards_zero(
// CHECK-SAME:    %[[X:[^:]*]]: f32
// CHECK:         %[[NEAREST:.*]] = arith.truncf %[[X]] : f32 to f16
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : f16 to f32
// CHECK-DAG:     %[[NEW:.*]] = math.absf %[[BACK]] : f32
// CHECK-DAG:     %[[OLD:.*]] = math.absf %[[X]] : f32
// CHECK:         %[[GREW:.*]] = arith.cmpf ogt, %[[NEW]], %[[OLD]] : f32
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f16 to i16
// CHECK:         %[[STEPPED:.*]] = arith.subi %[[BITS]], %{{.*}} : i16
// CHECK:         %[[RESULT:.*]] = arith.select %[[GREW]], %[[STEPPED]], %[[BITS]] : i16
// CHECK:         arith.bitcast %[[RESULT]] : i16 to f16
tt.func public @towards_zero(%x: f32) -> f16 {
  %0 = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  tt.return %0 : f16
}

// -----

// Formats of one width meet in f32.
// CHECK-LABEL: func.func @same_width(
// CHECK:         %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.truncf %[[WIDE]] : f32 to f16
tt.func public @same_width(%x: tensor<8xbf16>) -> tensor<8xf16> {
  %0 = tt.fp_to_fp %x : tensor<8xbf16> -> tensor<8xf16>
  tt.return %0 : tensor<8xf16>
}

// -----

// The bits of numbers stay.
// CHECK-LABEL: func.func @bitcast(
// CHECK:         linalg.generic
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
tt.func public @bitcast(%x: tensor<8xf32>) -> tensor<8xi32> {
  %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}

// -----

// Rounding towards zero keeps an infinity where the format has one ...
// CHECK-LABEL: func.func @towards_zero_with_infinity(
// CHECK-NOT:     arith.minimumf
// CHECK:         arith.truncf %{{.*}} : f16 to f8E5M2
tt.func public @towards_zero_with_infinity(%x: f16) -> f8E5M2 {
  %0 = tt.fp_to_fp %x, rounding = rtz : f16 -> f8E5M2
  tt.return %0 : f8E5M2
}

// -----

// ... and without negative zero a small negative number becomes zero, not the
// NaN whose pattern comes next.
// CHECK-LABEL: func.func @towards_zero_without_negative_zero(
// CHECK:         %[[STEPPED:.*]] = arith.subi
// CHECK:         %[[NAN:.*]] = arith.constant -128 : i8
// CHECK:         %[[IS_NAN:.*]] = arith.cmpi eq, %[[STEPPED]], %[[NAN]] : i8
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK:         arith.select %[[IS_NAN]], %[[ZERO]], %[[STEPPED]] : i8
tt.func public @towards_zero_without_negative_zero(%x: f16) -> f8E4M3FNUZ {
  %0 = tt.fp_to_fp %x, rounding = rtz : f16 -> f8E4M3FNUZ
  tt.return %0 : f8E4M3FNUZ
}
