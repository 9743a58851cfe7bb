// RUN: triton-shared-opt %s --cpu-start-sums | FileCheck %s

// A sum that starts with a block of 0.0 starts with -0.0; who else reads the
// block sees 0.0.
// CHECK-LABEL: func.func @rows(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[NEGATIVE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG:     %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK-DAG:     %[[START:.*]] = linalg.fill ins(%[[NEGATIVE]] : f32)
// CHECK:         linalg.reduce {{.*}} outs(%[[START]] : tensor<4xf32>)
// CHECK:         return %{{.*}}, %[[ZEROS]]
func.func @rows(%x: tensor<4x8xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sums = linalg.reduce ins(%x : tensor<4x8xf16>) outs(%zeros : tensor<4xf32>) dimensions = [1]
    (%in: f16, %sum: f32) {
      %wide = arith.extf %in : f16 to f32
      %next = arith.addf %wide, %sum : f32
      linalg.yield %next : f32
    }
  return %sums, %zeros : tensor<4xf32>, tensor<4xf32>
}

// So does one number.
// CHECK-LABEL: func.func @all(
// CHECK:         %[[NEGATIVE:.*]] = arith.constant -0.000000e+00 : f64
// CHECK:         %[[START:.*]] = tensor.insert %[[NEGATIVE]]
// CHECK-NOT:     tensor.insert
// CHECK:         linalg.reduce {{.*}} outs(%[[START]] : tensor<f64>)
func.func @all(%x: tensor<8xf64>) -> tensor<f64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<f64>
  %start = tensor.insert %zero into %empty[] : tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8xf64>) outs(%start : tensor<f64>) dimensions = [0]
  return %sum : tensor<f64>
}

// Every other start is a number of the kernel's, and every other operation has
// its own neutral element.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     -0.0
// CHECK:         return
func.func @others(%x: tensor<8xf32>, %start: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %ones = tensor.insert %one into %start[] : tensor<f32>
  %zeros = tensor.insert %zero into %start[] : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%ones : tensor<f32>) dimensions = [0]
  %most = linalg.reduce { arith.maxnumf } ins(%x : tensor<8xf32>) outs(%zeros : tensor<f32>) dimensions = [0]
  return %sum, %most : tensor<f32>, tensor<f32>
}
