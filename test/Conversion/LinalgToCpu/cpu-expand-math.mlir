// RUN: triton-shared-opt %s --cpu-expand-math --canonicalize | FileCheck %s
// RUN: triton-shared-opt %s --cpu-expand-math=scale --canonicalize \
// RUN:   | FileCheck %s --check-prefix=SCALE
// RUN: triton-shared-opt %s --cpu-expand-math | FileCheck %s --check-prefix=EACH

// Nothing is left but operations that work on vectors as on scalars.
// EACH-LABEL: func.func @exp_f32(
// EACH-NOT:     math.{{a?(sin|cos|tan)h?|atan2|exp|log|erf|pow|cbrt}}
// EACH-NOT:     {{(scf|cf|memref|vector|tensor|linalg)[.]|call}}
// EACH-LABEL: func.func @left_f64(

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

// The power of two is multiplied in two steps, or by the CPU's own operation.
// CHECK-LABEL: func.func @exp_f32(
// CHECK-SAME:      %[[x:.*]]: f32)
// CHECK-DAG:     %[[low:.*]] = arith.constant -1.040000e+02 : f32
// CHECK-DAG:     %[[width:.*]] = arith.constant 23 : i32
// CHECK:         arith.cmpf olt, %[[x]], %[[low]]
// CHECK-COUNT-8: math.fma {{.*}} : f32
// CHECK:         %[[power:.*]] = arith.addf
// CHECK:         %[[biased:.*]] = arith.addi %{{.*}} : i32
// CHECK:         %[[half:.*]] = arith.shrui %[[biased]]
// CHECK:         %[[rest:.*]] = arith.subi %[[biased]], %[[half]]
// CHECK:         %[[shifted:.*]] = arith.shli %[[half]], %[[width]]
// CHECK:         %[[factor:.*]] = arith.bitcast %[[shifted]]
// CHECK:         arith.mulf %[[power]], %[[factor]]
// CHECK:         arith.shli %[[rest]], %[[width]]
// SCALE-LABEL: func.func @exp_f32(
// SCALE:         llvm.call_intrinsic "llvm.ldexp"(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
// SCALE-NEXT:    return
func.func @exp_f32(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @exp_f64(
// CHECK-DAG:     arith.constant -7.460000e+02 : f64
// CHECK-COUNT-14: math.fma {{.*}} : f64
// SCALE-LABEL: func.func @exp_f64(
// SCALE:         %[[exponent:.*]] = arith.trunci %{{.*}} : i64 to i32
// SCALE:         llvm.call_intrinsic "llvm.ldexp"(%{{.*}}, %[[exponent]]) : (f64, i32) -> f64
func.func @exp_f64(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// The remainder is exact.
// CHECK-LABEL: func.func @exp2(
// CHECK:         %[[n:.*]] = arith.subf
// CHECK:         %[[r:.*]] = arith.subf %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-6: math.fma %{{.*}}, %[[r]], {{.*}} : f32
func.func @exp2(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.exp2 %x : f32
  %b = math.exp2 %y : f64
  return %a, %b : f32, f64
}

// Tiny numbers are their own result; 2^n is halved, so no intrinsic is needed.
// CHECK-LABEL: func.func @expm1(
// CHECK-SAME:      %[[x:[^:]*]]: f32,
// CHECK:         %[[magnitude:.*]] = math.absf %[[x]] : f32
// CHECK:         %[[isTiny:.*]] = arith.cmpf olt, %[[magnitude]]
// CHECK:         arith.select %[[isTiny]], %[[x]], %{{.*}} : f32
// SCALE-LABEL: func.func @expm1(
// SCALE-NOT:     llvm.ldexp
// SCALE-LABEL: func.func @tanh(
func.func @expm1(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.expm1 %x : f32
  %b = math.expm1 %y : f64
  return %a, %b : f32, f64
}

// CHECK-LABEL: func.func @tanh(
// CHECK:         arith.divf {{.*}} : f32
// CHECK:         math.copysign {{.*}} : f32
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         math.copysign {{.*}} : f64
func.func @tanh(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.tanh %x : f32
  %b = math.tanh %y : f64
  return %a, %b : f32, f64
}

// In f64, where e^x of no f32 overflows that counts.
// CHECK-LABEL: func.func @sinh_and_cosh(
// CHECK:         arith.extf %{{.*}} : f32 to f64
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         math.copysign {{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// SCALE-LABEL: func.func @sinh_and_cosh(
// SCALE-NOT:     llvm.ldexp
// SCALE-LABEL: func.func @logarithms(
func.func @sinh_and_cosh(%x: f32) -> (f32, f32) {
  %a = math.sinh %x : f32
  %b = math.cosh %x : f32
  return %a, %b : f32, f32
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

// Subnormal numbers are brought up; special values come last.
// CHECK-LABEL: func.func @logarithms(
// CHECK-SAME:      %[[x:[^:]*]]: f32, %[[y:[^:]*]]: f64)
// CHECK:         %[[isSubnormal:.*]] = arith.cmpf olt, %[[x]]
// CHECK:         %[[raised:.*]] = arith.mulf %[[x]]
// CHECK:         arith.select %[[isSubnormal]], %[[raised]], %[[x]] : f32
// CHECK-COUNT-11: math.fma {{.*}} : f32
// CHECK:         arith.cmpf oeq, %[[x]]
// CHECK:         arith.cmpf oeq, %[[x]]
// CHECK:         arith.cmpf oge, %[[x]]
// CHECK:         %[[isSubnormal:.*]] = arith.cmpf olt, %[[y]]
// CHECK:         arith.cmpf oge, %[[y]]
func.func @logarithms(%x: f32, %y: f64) -> (f32, f64, f32, f64) {
  %a = math.log %x : f32
  %b = math.log %y : f64
  %c = math.log2 %x : f32
  %d = math.log2 %y : f64
  return %a, %b, %c, %d : f32, f64, f32, f64
}

// CHECK-LABEL: func.func @log10(
// CHECK:         %[[factor:.*]] = arith.constant 0.3010299956639812 : f64
// CHECK:         arith.extf
// CHECK:         %[[product:.*]] = arith.mulf %{{.*}}, %[[factor]] : f64
// CHECK:         arith.truncf %[[product]] : f64 to f32
func.func @log10(%x: f32) -> f32 {
  %y = math.log10 %x : f32
  return %y : f32
}

// The fraction is computed from x, the limits are those of 1 + x.
// CHECK-LABEL: func.func @log1p(
// CHECK-SAME:      %[[x:[^:]*]]: f32, %[[y:[^:]*]]: f64)
// CHECK-DAG:     %[[one:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[above:.*]] = arith.addf %[[x]], %[[one]] : f32
// CHECK:         math.fma %[[x]], %{{.*}}, %{{.*}} : f32
// CHECK:         arith.cmpf oge, %[[above]]
// CHECK:         math.copysign %{{.*}}, %[[x]] : f32
// CHECK:         math.copysign %{{.*}}, %[[y]] : f64
func.func @log1p(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.log1p %x : f32
  %b = math.log1p %y : f64
  return %a, %b : f32, f64
}

// CHECK-LABEL: func.func @inverse_hyperbolic(
// CHECK:         math.sqrt {{.*}} : f64
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         arith.truncf
// CHECK:         math.sqrt {{.*}} : f64
// CHECK:         arith.truncf
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         arith.truncf
func.func @inverse_hyperbolic(%x: f32) -> (f32, f32, f32) {
  %a = math.asinh %x : f32
  %b = math.acosh %x : f32
  %c = math.atanh %x : f32
  return %a, %b, %c : f32, f32, f32
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

// Functions of f64 that have no form here.
// CHECK-LABEL: func.func @left_f64(
// CHECK:         math.sin %{{.*}} : f64
// CHECK:         math.powf %{{.*}} : f64
func.func @left_f64(%x: f64) -> (f64, f64) {
  %a = math.sin %x : f64
  %b = math.powf %x, %x : f64
  return %a, %b : f64, f64
}

// The CPU has these.
// CHECK-LABEL: func.func @left_f32(
// CHECK:         math.rsqrt %{{.*}} : f32
// CHECK:         math.sqrt %{{.*}} : f32
func.func @left_f32(%x: f32) -> (f32, f32) {
  %a = math.rsqrt %x : f32
  %b = math.sqrt %x : f32
  return %a, %b : f32, f32
}
