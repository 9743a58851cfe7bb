// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// The region is the body of the loop, with all its results.
// CHECK-LABEL: func.func @two_results(
// CHECK-SAME:    %[[X:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<8xi32>)
// CHECK:         %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<8xi32>, tensor<8xi32>) outs(%{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32>)
// CHECK-NEXT:    ^bb0(%[[A:[a-z0-9_]+]]: i32, %[[B:[a-z0-9_]+]]: i32, 
// CHECK:           %[[SORTED:.*]]:2 = scf.if
// CHECK:           linalg.yield %[[SORTED]]#0, %[[SORTED]]#1
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @two_results(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0:2 = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %1 = arith.cmpi sgt, %a, %b : i32
    %2:2 = scf.if %1 -> (i32, i32) {
      scf.yield %a, %b : i32, i32
    } else {
      scf.yield %b, %a : i32, i32
    }
    tt.map_elementwise.return %2#0, %2#1 : i32, i32
  }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xi32>, tensor<8xi32>
}

// Neighbours that go in together are taken apart first, and put back.
// CHECK-LABEL: func.func @neighbours(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8xf32>)
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]]
// CHECK:         %[[EVEN:.*]] = tensor.extract_slice %[[FLAT]][0] [8] [2]
// CHECK:         %[[ODD:.*]] = tensor.extract_slice %[[FLAT]][1] [8] [2]
// CHECK:         %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[EVEN]], %[[ODD]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[A:[a-z0-9_]+]]: f32, %[[B:[a-z0-9_]+]]: f32
// CHECK:           %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK:           %[[DIFFERENCE:.*]] = arith.subf %[[A]], %[[B]]
// CHECK:           linalg.yield %[[SUM]], %[[DIFFERENCE]]
// CHECK:         %[[HALF:.*]] = tensor.insert_slice %[[R]]#0 into %{{.*}}[0] [8] [2]
// CHECK:         %[[BOTH:.*]] = tensor.insert_slice %[[R]]#1 into %[[HALF]][1] [8] [2]
// CHECK:         tensor.expand_shape %[[BOTH]] {{\[}}[0, 1]] output_shape [2, 8]
func.func @neighbours(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.subf %a, %b : f32
    tt.map_elementwise.return %1, %2 : f32, f32
  }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
