// RUN: triton-shared-opt %s --triton-promote-floats | FileCheck %s

// Floats in registers and in memory are f64, and what converted them is gone.
// CHECK-LABEL: tt.func @half(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %[[X:.*]]: f64)
// CHECK-NEXT:    tt.store %[[P]], %[[X]] : !tt.ptr<f64>
// CHECK-NEXT:    tt.return
tt.func @half(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x: f32) {
  %0 = arith.truncf %x : f32 to f16
  tt.store %p, %0 : !tt.ptr<f16>
  tt.return
}

// Constants keep the value that they had.
// CHECK-LABEL: tt.func @constants(
// CHECK-NEXT:    arith.constant 0.099975585937{{5?}} : f64
// CHECK-NEXT:    arith.constant dense<[1.000000e+00, 0xFFF0000000000000]> : tensor<2xf64>
// CHECK-NEXT:    arith.constant dense<7> : tensor<2xi32>
tt.func @constants() -> (f16, tensor<2xf32>, tensor<2xi32>) {
  %0 = arith.constant 0.1 : f16
  %1 = arith.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  %2 = arith.constant dense<7> : tensor<2xi32>
  tt.return %0, %1, %2 : f16, tensor<2xf32>, tensor<2xi32>
}

// Products are exact, sums in loops and regions of reductions are f64.
// CHECK-LABEL: tt.func @product(
// CHECK:         tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf64> * tensor<16x16xf64> -> tensor<16x16xf64>
// CHECK:         ^bb0(%{{.*}}: f64, %{{.*}}: f64):
tt.func @product(%a: tensor<16x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16xf32> {
  %0 = tt.dot %a, %a, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %2 = arith.addf %l, %r : f32
    tt.reduce.return %2 : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  tt.return %1 : tensor<16xf32>
}

// Functions are those of f64, whatever they were called.
// CHECK-LABEL: tt.func @functions(
// CHECK:         symbol = "__nv_exp"
// CHECK:         symbol = "__nv_erf"
// CHECK:         symbol = "__nv_isinfd"
// CHECK:         symbol = "__nv_erf"
// CHECK:         math.sqrt
// CHECK:         arith.divf
// CHECK:         arith.divf
tt.func @functions(%x: f32, %y: f64) -> (f32, f32, i32, f64, f32, f32, f32) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (f32) -> f32
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} : (f32) -> f32
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (f32) -> i32
  %3 = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_erf"} : (f64) -> f64
  %4 = tt.precise_sqrt %x : f32
  %5 = tt.precise_divf %x, %x : f32
  %6 = tt.approx_divf %x, %x : f32
  tt.return %0, %1, %2, %3, %4, %5, %6 : f32, f32, i32, f64, f32, f32, f32
}
