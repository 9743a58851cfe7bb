// RUN: triton-shared-opt %s --cpu-order-zeros | FileCheck %s

// A minimum or maximum that propagates NaN is an operation of the LLVM dialect.
// CHECK-LABEL: func.func @propagating(
// CHECK:         %[[MAX:.*]] = llvm.intr.maximum(%arg0, %arg1) : (f32, f32) -> f32
// CHECK:         llvm.intr.minimum(%[[MAX]], %arg1) : (f32, f32) -> f32
func.func @propagating(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  %1 = arith.minimumf %0, %y : f32
  return %1 : f32
}

// One that prefers numbers takes the other operand where one is NaN.
// CHECK-LABEL: func.func @yielding(
// CHECK-DAG:     %[[MAX:.*]] = llvm.intr.maximum(%arg0, %arg1) : (f64, f64) -> f64
// CHECK-DAG:     %[[Y_NAN:.*]] = arith.cmpf uno, %arg1, %arg1 : f64
// CHECK:         %[[UNLESS_Y:.*]] = arith.select %[[Y_NAN]], %arg0, %[[MAX]] : f64
// CHECK:         %[[X_NAN:.*]] = arith.cmpf uno, %arg0, %arg0 : f64
// CHECK:         %[[UNLESS_X:.*]] = arith.select %[[X_NAN]], %arg1, %[[UNLESS_Y]] : f64
// CHECK:         llvm.intr.minimum(%[[UNLESS_X]], %arg1) : (f64, f64) -> f64
func.func @yielding(%x: f64, %y: f64) -> f64 {
  %0 = arith.maxnumf %x, %y : f64
  %1 = arith.minnumf %0, %y : f64
  return %1 : f64
}

// LLVM has such an intrinsic, which it keeps as it is on vectors.
// CHECK-LABEL: func.func @vectors(
// CHECK:         %[[MAX:.*]] = llvm.call_intrinsic "llvm.maximumnum"(%arg0, %arg1)
// CHECK:         llvm.call_intrinsic "llvm.minimumnum"(%[[MAX]], %arg1)
func.func @vectors(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.maxnumf %x, %y : vector<8xf32>
  %1 = arith.minnumf %0, %y : vector<8xf32>
  return %1 : vector<8xf32>
}

// The CPU computes in f32 and f64; other formats are not its business.
// CHECK-LABEL: func.func @small(
// CHECK:         arith.maxnumf %arg0, %arg1 : f16
func.func @small(%x: f16, %y: f16) -> f16 {
  %0 = arith.maxnumf %x, %y : f16
  return %0 : f16
}
