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
// Powers
//===----------------------------------------------------------------------===//

// Odd integers keep the sign of the base, fractions of negative bases are NaN.
// CHECK-LABEL: func.func @pow(
// CHECK-DAG:     %[[nan:.*]] = arith.constant 0x7FF8000000000000 : f64
// CHECK-DAG:     %[[zero:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:         %[[x:.*]] = arith.extf
// CHECK:         %[[y:.*]] = arith.extf
// CHECK:         %[[isOne:.*]] = arith.ori {{.*}} : i1
// CHECK:         arith.select %[[isOne]], %[[zero]], {{.*}} : f64
// CHECK:         %[[whole:.*]] = math.roundeven %[[y]] : f64
// CHECK:         %[[isFraction:.*]] = arith.cmpf une, %[[whole]], %[[y]]
// CHECK:         %[[isHalf:.*]] = arith.cmpf une
// CHECK:         %[[isOdd:.*]] = arith.xori %[[isFraction]], %[[isHalf]] : i1
// CHECK:         %[[signed:.*]] = math.copysign %[[power:.*]], %[[x]]
// CHECK:         %[[result:.*]] = arith.select %[[isOdd]], %[[signed]], %[[power]]
// CHECK:         arith.select %{{.*}}, %[[nan]], %[[result]]
func.func @pow(%x: f32, %y: f32) -> f32 {
  %z = math.powf %x, %y : f32
  return %z : f32
}

// CHECK-LABEL: func.func @cbrt(
// CHECK-DAG:     arith.constant 1.2599210498948732 : f64
// CHECK-DAG:     arith.constant 0.79370052598409979 : f64
// CHECK:         math.copysign {{.*}} : f64
func.func @cbrt(%x: f32) -> f32 {
  %y = math.cbrt %x : f32
  return %y : f32
}

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

// One way for numbers of all sizes: the bits of 1 / (2 pi) are chosen, the
// whole turns of three products dropped.
// CHECK-LABEL: func.func @sin(
// CHECK:         %[[x:.*]] = arith.extf
// CHECK:         %[[magnitude:.*]] = math.absf %[[x]]
// CHECK:         %[[isSmall:.*]] = arith.cmpf olt, %[[magnitude]]
// CHECK-COUNT-3: arith.select %[[isSmall]], {{.*}} : f64
// CHECK-COUNT-3: math.roundeven {{.*}} : f64
// CHECK:         arith.xori
// CHECK:         arith.truncf
func.func @sin(%x: f32) -> f32 {
  %y = math.sin %x : f32
  return %y : f32
}

// The sign of the number does not count.
// CHECK-LABEL: func.func @cos(
// CHECK:         %[[x:.*]] = arith.extf
// CHECK:         math.absf %[[x]]
// CHECK-NOT:     %[[x]]
// CHECK:         return
func.func @cos(%x: f32) -> f32 {
  %y = math.cos %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @tan(
// CHECK:         %[[isOdd:.*]] = arith.cmpi ne
// CHECK:         %[[above:.*]] = arith.select %[[isOdd]], %[[cos:.*]], %[[sin:.*]] : f64
// CHECK:         %[[below:.*]] = arith.select %[[isOdd]], %[[sin]], %[[cos]] : f64
// CHECK:         arith.divf %[[above]], %[[below]] : f64
func.func @tan(%x: f32) -> f32 {
  %y = math.tan %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @asin_and_acos(
// CHECK:         math.sqrt {{.*}} : f64
// CHECK:         math.copysign
// CHECK:         arith.truncf
// CHECK:         math.sqrt {{.*}} : f64
// CHECK:         arith.truncf
func.func @asin_and_acos(%x: f32) -> (f32, f32) {
  %a = math.asin %x : f32
  %b = math.acos %x : f32
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @atan(
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         math.copysign
func.func @atan(%x: f32) -> f32 {
  %y = math.atan %x : f32
  return %y : f32
}

// The sign of x counts, that of zero as well.
// CHECK-LABEL: func.func @atan2(
// CHECK-SAME:      %[[y:[^:]*]]: f32, %[[x:[^:]*]]: f32)
// CHECK:         %[[wideX:.*]] = arith.extf %[[x]]
// CHECK:         %[[wideY:.*]] = arith.extf %[[y]]
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         %[[bits:.*]] = arith.bitcast %[[wideX]] : f64 to i64
// CHECK:         arith.cmpi slt, %[[bits]]
// CHECK:         math.copysign %{{.*}}, %[[wideY]]
func.func @atan2(%y: f32, %x: f32) -> f32 {
  %z = math.atan2 %y, %x : f32
  return %z : f32
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @erf(
// CHECK:         math.copysign {{.*}} : f32
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         math.copysign {{.*}} : f64
func.func @erf(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.erf %x : f32
  %b = math.erf %y : f64
  return %a, %b : f32, f64
}

// CHECK-LABEL: func.func @erfc(
// CHECK-DAG:     %[[two:.*]] = arith.constant 2.000000e+00 : f64
// CHECK:         arith.divf {{.*}} : f64
// CHECK:         arith.subf %[[two]]
// CHECK:         arith.truncf
func.func @erfc(%x: f32) -> f32 {
  %y = math.erfc %x : f32
  return %y : f32
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
