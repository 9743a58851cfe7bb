// RUN: triton-shared-opt %s --cpu-lower-math | FileCheck %s

// One right answer: an instruction.
// CHECK-LABEL: func.func @exact(
// CHECK:         llvm.intr.sqrt(%arg0)
// CHECK:         llvm.intr.fma(
// CHECK:         llvm.intr.floor(
func.func @exact(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.fma %0, %x, %x : f32
  %2 = math.floor %1 : f32
  return %2 : f32
}

// Other functions are the C library's.
// CHECK-LABEL: func.func @library(
// CHECK:         call @expf(%arg0)
// CHECK:         call @log1p(%arg1)
func.func @library(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.log1p %y : f64
  return %0, %1 : f32, f64
}

// The C library has no reciprocal square root.
// CHECK-LABEL: func.func @rsqrt(
// CHECK:         %[[ROOT:.*]] = llvm.intr.sqrt(%arg0)
// CHECK:         arith.divf %{{.*}}, %[[ROOT]]
func.func @rsqrt(%x: f32) -> f32 {
  %0 = math.rsqrt %x : f32
  return %0 : f32
}
