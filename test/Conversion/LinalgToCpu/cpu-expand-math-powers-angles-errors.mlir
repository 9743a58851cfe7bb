// RUN: triton-shared-opt %s --cpu-expand-math --canonicalize | FileCheck %s
// RUN: triton-shared-opt %s --cpu-expand-math | FileCheck %s --check-prefix=EACH

// Nothing is left but operations that work on vectors as on scalars, and
// branches that lanes take together.
// EACH-LABEL: func.func @pow(
// EACH-NOT:     math.{{a?(sin|cos|tan)h?|atan2|exp|log|erf|pow|cbrt}}
// EACH-NOT:     {{ (cf|memref|vector|tensor|linalg)[.]|call}}

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

// Quarters of a turn are subtracted from what is below 2^28; of larger numbers,
// and of NaN, the bits of 1 / (2 pi) are chosen, the whole turns of three
// products dropped.
// CHECK-LABEL: func.func @sin(
// CHECK:         %[[x:.*]] = arith.extf
// CHECK:         %[[magnitude:.*]] = math.absf %[[x]]
// CHECK-COUNT-3: math.fma {{.*}} : f64
// CHECK:         %[[isLarge:.*]] = arith.cmpf uge, %[[magnitude]]
// CHECK:         scf.if %[[isLarge]]
// CHECK:           %[[isSmaller:.*]] = arith.cmpf olt, %[[magnitude]]
// CHECK-COUNT-3:   arith.select %[[isSmaller]], {{.*}} : f64
// CHECK-COUNT-3:   math.roundeven {{.*}} : f64
// CHECK:         } {tts.for_any_lane}
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
