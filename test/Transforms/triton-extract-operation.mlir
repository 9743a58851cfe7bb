// RUN: triton-shared-opt %s --triton-extract-operation=number=2 | FileCheck %s

// The value with the number is computed from memory: operands that are probed are
// loaded once, constants copied, and the region goes along.
// CHECK-LABEL: tt.func @operation(
// CHECK-SAME:    %[[OUT:.*]]: !tt.ptr<i32>, %[[A:.*]]: !tt.ptr<f32>)
// CHECK:         %[[PLACES:.*]] = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
// CHECK:         %[[LINE:.*]] = tt.addptr
// CHECK-NEXT:    %[[V:.*]] = tt.load %[[LINE]] : tensor<4x!tt.ptr<f32>>
// CHECK-NEXT:    %[[R:.*]]:2 = "tt.reduce"(%[[V]], %[[PLACES]])
// CHECK:           arith.cmpf
// CHECK:         tt.store %[[OUT]], %[[R]]#1 : !tt.ptr<i32>
// CHECK-NEXT:    tt.return
// CHECK-NOT:   tt.func
tt.func @kernel(%x: tensor<4xf32>) {
  %places = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %0:2 = "tt.reduce"(%x, %places) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %1 = arith.cmpf ogt, %a, %b : f32
    %2 = arith.select %1, %a, %b : f32
    %3 = arith.select %1, %i, %j : i32
    tt.reduce.return %2, %3 : f32, i32
  }) : (tensor<4xf32>, tensor<4xi32>) -> (f32, i32)
  tt.return
}
