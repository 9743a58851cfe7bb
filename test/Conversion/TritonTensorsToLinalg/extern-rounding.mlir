// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// What rounds down is rounded to nearest, compared, and taken one step down
// where it came out too high: the next pattern of bits, or the one before.
// CHECK-LABEL: func.func @narrow_down(
// CHECK-SAME:    %[[X:.*]]: f64
// CHECK:         %[[NEAREST:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK:         %[[TOO_HIGH:.*]] = arith.cmpf olt, %[[X]], %[[BACK]]
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK:         %[[MOVED:.*]] = arith.select
// CHECK:         %[[MOVED_TOO:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MOVED]]
// CHECK:         %[[RESULT:.*]] = arith.select %[[TOO_HIGH]], %[[MOVED_TOO]], %[[BITS]]
// CHECK:         arith.bitcast %[[RESULT]] : i32 to f32
tt.func @narrow_down(%x: f64, %out: !tt.ptr<f32>) -> f32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_double2float_rd"} : (f64) -> f32
  tt.return %0 : f32
}

// Towards zero, the step is always to the pattern below.
// CHECK-LABEL: func.func @integer_towards_zero(
// CHECK:         %[[NEAREST:.*]] = arith.sitofp %arg0 : i32 to f32
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK:         %[[BELOW:.*]] = arith.subi %[[BITS]], %c1_i32
// CHECK:         arith.select %{{.*}}, %[[BELOW]], %[[BITS]]
tt.func @integer_towards_zero(%x: i32) -> f32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_rz"} : (i32) -> f32
  tt.return %0 : f32
}

// Of arithmetic, what rounding took off comes from a fused multiply-add and
// sums without error.
// CHECK-LABEL: func.func @product_up(
// CHECK:         arith.mulf %arg0, %arg1 : f64
// CHECK:         math.fma
// CHECK-COUNT-5: arith.subf
tt.func @product_up(%x: f64, %y: f64) -> f64 {
  %0 = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_dmul_ru"} : (f64, f64) -> f64
  tt.return %0 : f64
}
