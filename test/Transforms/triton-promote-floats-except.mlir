// RUN: triton-shared-opt %s --triton-promote-floats=except=3 --split-input-file | FileCheck %s

// One operation stays as it is written, between conversions; the others are f64.
// CHECK-LABEL: tt.func @sum(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f64>, %[[X:.*]]: f64, %[[Y:.*]]: f64)
// CHECK:         %[[Z:.*]] = arith.mulf %[[X]], %[[Y]] : f64
// CHECK-DAG:     %[[A:.*]] = arith.truncf %[[Z]] : f64 to f16
// CHECK-DAG:     %[[B:.*]] = arith.truncf %[[Y]] : f64 to f16
// CHECK:         %[[C:.*]] = arith.addf %[[A]], %[[B]] : f16
// CHECK:         %[[W:.*]] = arith.extf %[[C]] : f16 to f64
// CHECK:         %[[D:.*]] = arith.addf %[[W]], %[[Y]] : f64
// CHECK:         tt.store %[[P]], %[[D]] : !tt.ptr<f64>
tt.func @sum(%p: !tt.ptr<f16>, %x: f16, %y: f16) {
  %0 = arith.mulf %x, %y : f16
  %1 = arith.addf %0, %y : f16
  %2 = arith.addf %1, %y : f16
  tt.store %p, %2 : !tt.ptr<f16>
  tt.return
}

// -----

// A reduction with its region, a conversion, and a product with its precision.
// CHECK-LABEL: tt.func @reduction(
// CHECK:         %[[N:.*]] = arith.truncf %{{.*}} : tensor<8xf64> to tensor<8xf16>
// CHECK:         "tt.reduce"(%[[N]])
// CHECK:           arith.addf %{{.*}}, %{{.*}} : f16
// CHECK:         arith.extf %{{.*}} : f16 to f64
tt.func @reduction(%p: !tt.ptr<f16>, %x: tensor<8xf16>, %y: f16) {
  %m = arith.mulf %x, %x : tensor<8xf16>
  %0 = "tt.reduce"(%m) <{axis = 0 : i32}> ({
  ^bb0(%l: f16, %r: f16):
    %3 = arith.addf %l, %r : f16
    tt.reduce.return %3 : f16
  }) : (tensor<8xf16>) -> f16
  tt.store %p, %0 : !tt.ptr<f16>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @product(
// CHECK-DAG:     %[[A:.*]] = arith.truncf %{{.*}} : tensor<16x16xf64> to tensor<16x16xf32>
// CHECK:         tt.dot %{{.*}}, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK:         arith.extf {{.*}} : tensor<16x16xf32> to tensor<16x16xf64>
tt.func @product(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %p, %0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @conversion(
// CHECK:         %[[A:.*]] = tt.fp_to_fp %{{.*}}, rounding = rtne : f64 -> f8E4M3FN
// CHECK:         %[[B:.*]] = tt.fp_to_fp %[[A]] : f8E4M3FN -> f16
// CHECK:         arith.extf %[[B]] : f16 to f64
tt.func @conversion(%p: !tt.ptr<f16>, %n: i32, %m: i32, %x: f8E4M3FN) {
  %0 = tt.fp_to_fp %x : f8E4M3FN -> f16
  tt.store %p, %0 : !tt.ptr<f16>
  tt.return
}
