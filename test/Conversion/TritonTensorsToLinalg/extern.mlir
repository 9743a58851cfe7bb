// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// Most functions are an op of math, f32 and f64 alike.
// CHECK-LABEL: func.func @math_op(
// CHECK:         linalg.generic
// CHECK:           math.tanh %{{.*}} : f32
// CHECK:         math.powf %{{.*}}, %{{.*}} : f64
tt.func public @math_op(%x: tensor<8xf32>, %y: f64) -> (tensor<8xf32>, f64) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.extern_elementwise %y, %y {libname = "", libpath = "", pure = true, symbol = "__nv_pow"} : (f64, f64) -> f64
  tt.return %0, %1 : tensor<8xf32>, f64
}

// -----

// Who names the function asks for more than a GPU's own instruction gives; a
// name with `fast` does not.
// CHECK-LABEL: func.func @exact(
// CHECK:         math.exp %{{.*}} {tts.precise} : f32
// CHECK:         math.exp %arg0 : f32
// CHECK:         arith.divf %{{.*}} {tts.precise} : f32
// CHECK:         arith.divf %{{.*}}, %arg0 : f32
tt.func public @exact(%x: f32) -> f32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (f32) -> f32
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (f32) -> f32
  %2 = tt.extern_elementwise %0, %1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rn"} : (f32, f32) -> f32
  %3 = tt.extern_elementwise %2, %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_fdividef"} : (f32, f32) -> f32
  tt.return %3 : f32
}

// -----

// A trailing f may belong to the name.
// CHECK-LABEL: func.func @names_that_end_in_f(
// CHECK:         math.erf %{{.*}} : f32
// CHECK:         math.erf %{{.*}} : f64
tt.func public @names_that_end_in_f(%x: f32, %y: f64) -> (f32, f64) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} : (f32) -> f32
  %1 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_erf"} : (f64) -> f64
  tt.return %0, %1 : f32, f64
}

// -----

// Which of the C library's functions is called, the operand says.
// CHECK-DAG: func.func private @tgamma(f64) -> f64
// CHECK-DAG: func.func private @jnf(i32, f32) -> f32
tt.func public @c_library_by_type(%n: i32, %x: f32, %y: f64) -> (f32, f64) {
  %0 = tt.extern_elementwise %n, %x {libname = "", libpath = "", pure = true, symbol = "__nv_jnf"} : (i32, f32) -> f32
  %1 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_tgamma"} : (f64) -> f64
  tt.return %0, %1 : f32, f64
}

// -----

// Where math has no op, the C library is called; it is declared once.
// CHECK-COUNT-1: func.func private @lgammaf(f32) -> f32
// CHECK-LABEL: func.func @c_library(
// CHECK:         linalg.generic
// CHECK:           func.call @lgammaf(%{{.*}}) : (f32) -> f32
// CHECK:         call @lgammaf(%{{.*}}) : (f32) -> f32
tt.func public @c_library(%x: tensor<8xf32>, %y: f32) -> (tensor<8xf32>, f32) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (f32) -> f32
  tt.return %0, %1 : tensor<8xf32>, f32
}

// -----

// Questions about a number are answered with an i32.
// CHECK-LABEL: func.func @questions(
// CHECK:         %[[ANSWER:.*]] = arith.cmpf uno, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.extui %[[ANSWER]] : i1 to i32
tt.func public @questions(%x: f32) -> i32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (f32) -> i32
  tt.return %0 : i32
}

// -----

// The count of a 64-bit integer is a 32-bit integer.
// CHECK-LABEL: func.func @bits(
// CHECK:         %[[COUNT:.*]] = math.ctlz %{{.*}} : i64
// CHECK:         arith.trunci %[[COUNT]] : i64 to i32
// CHECK:         arith.bitcast %{{.*}} : i32 to f32
tt.func public @bits(%x: i64) -> f32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_clzll"} : (i64) -> i32
  %1 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = true, symbol = "__nv_int_as_float"} : (i32) -> f32
  tt.return %1 : f32
}

// -----

// A conversion to integers saturates, and NaN is 0.
// CHECK-LABEL: func.func @conversion(
// CHECK:         %[[WHOLE:.*]] = math.floor %{{.*}} : f32
// CHECK:         %[[LOW:.*]] = arith.constant -2.14748365E+9 : f32
// CHECK:         %[[HIGH:.*]] = arith.constant 2.14748365E+9 : f32
// CHECK:         arith.cmpf ole, %[[WHOLE]], %[[LOW]]
// CHECK:         arith.cmpf oge, %[[WHOLE]], %[[HIGH]]
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[WHOLE]], %[[WHOLE]]
// CHECK:         arith.fptosi %[[WHOLE]] : f32 to i32
// CHECK:         arith.select %[[NAN]]
tt.func public @conversion(%x: f32) -> i32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rd"} : (f32) -> i32
  tt.return %0 : i32
}

// -----

// The inverse of erf is refined on erf near 0 and on erfc near 1, in f64.
// CHECK-LABEL: func.func @inverse(
// CHECK-SAME:    %[[X:[^:]*]]: f32
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : f32 to f64
// CHECK:         math.erf %{{.*}} : f64
// CHECK:         math.erfc %{{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
tt.func public @inverse(%x: f32) -> f32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erfinvf"} : (f32) -> f32
  tt.return %0 : f32
}

// -----

// The modified Bessel functions and the scaled erfc are series, in f64.
// CHECK-LABEL: func.func @series(
// CHECK:         arith.extf %{{.*}} : f32 to f64
// CHECK-NOT:     call
// CHECK:         math.exp %{{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         math.copysign %{{.*}} : f64
// CHECK:         math.erfc %{{.*}} : f64
tt.func public @series(%x: f32, %y: f64) -> (f32, f64, f64) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i0f"} : (f32) -> f32
  %1 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i1"} : (f64) -> f64
  %2 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_erfcx"} : (f64) -> f64
  tt.return %0, %1, %2 : f32, f64, f64
}
