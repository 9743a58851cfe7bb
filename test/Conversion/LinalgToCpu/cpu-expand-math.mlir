// RUN: triton-shared-opt %s --cpu-expand-math | FileCheck %s

// Functions of f32 become arithmetic.
// CHECK-LABEL: func.func @f32(
// CHECK-NOT:     math.{{exp|log|tanh|erf}}
// CHECK:         math.fma
// CHECK:         return
func.func @f32(%x: f32) -> (f32, f32, f32, f32, f32, f32) {
  %a = math.exp %x : f32
  %b = math.exp2 %x : f32
  %c = math.log %x : f32
  %d = math.log2 %x : f32
  %e = math.tanh %x : f32
  %f = math.erf %x : f32
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, f32, f32
}

// Those of f64 are left to the C library.
// CHECK-LABEL: func.func @f64(
// CHECK:         math.exp %{{.*}} : f64
func.func @f64(%x: f64) -> f64 {
  %a = math.exp %x : f64
  return %a : f64
}
