// Loops along neighbours in memory become one loop, if there are many of them.
// RUN: triton-shared-opt %s --cpu-collapse-loops --split-input-file | FileCheck %s

#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>

// What is read and written alike is one loop.
// CHECK-LABEL: func @element_wise
// CHECK-SAME: %[[X:.*]]: tensor<2x2x2x2x2xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2, 3, 4]] : tensor<2x2x2x2x2xf32> into tensor<32xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[FLAT]] : tensor<32xf32>)
// CHECK: %[[OUT:.*]] = tensor.expand_shape %[[Y]]
// CHECK: return %[[OUT]]
func.func @element_wise(%x: tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32> {
  %e = tensor.empty() : tensor<2x2x2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x2x2x2x2xf32>) outs(%e : tensor<2x2x2x2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<2x2x2x2x2xf32>
  return %r : tensor<2x2x2x2x2xf32>
}

// -----

// A dimension that is broadcast separates the loops before it from those after.
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[WHOLE]], #[[PART]], #[[WHOLE]]], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<8x2x4xi32>, tensor<8x4xi32>)
#id = affine_map<(a, b, c, d, e, f) -> (a, b, c, d, e, f)>
#part = affine_map<(a, b, c, d, e, f) -> (a, b, c, 0, e, f)>
func.func @broadcast(%x: tensor<2x2x2x2x2x2xi32>, %y: tensor<2x2x2x1x2x2xi32>) -> tensor<2x2x2x2x2x2xi32> {
  %e = tensor.empty() : tensor<2x2x2x2x2x2xi32>
  %r = linalg.generic {indexing_maps = [#id, #part, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x, %y : tensor<2x2x2x2x2x2xi32>, tensor<2x2x2x1x2x2xi32>) outs(%e : tensor<2x2x2x2x2x2xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %s = arith.xori %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<2x2x2x2x2x2xi32>
  return %r : tensor<2x2x2x2x2x2xi32>
}

// -----

// A sum is a loop of its own between those of the result.
// CHECK-LABEL: func @reduction
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<4x2x4xi32>) outs(%{{.*}} : tensor<4x4xi32>)
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#sum = affine_map<(a, b, c, d, e) -> (a, b, d, e)>
func.func @reduction(%x: tensor<2x2x2x2x2xi32>, %init: tensor<2x2x2x2xi32>) -> tensor<2x2x2x2xi32> {
  %r = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%x : tensor<2x2x2x2x2xi32>) outs(%init : tensor<2x2x2x2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.addi %in, %out : i32
    linalg.yield %s : i32
  } -> tensor<2x2x2x2xi32>
  return %r : tensor<2x2x2x2xi32>
}

// -----

// A transposition keeps its dimensions apart; places are still counted right.
// CHECK-LABEL: func @transposed
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<8x4xi32>) outs(%{{.*}} : tensor<4x8xi32>)
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: arith.divsi %[[I]], %{{.*}} : index
#to = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#from = affine_map<(a, b, c, d, e) -> (c, d, e, a, b)>
func.func @transposed(%x: tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32> {
  %e = tensor.empty() : tensor<2x2x2x2x2xi32>
  %r = linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x2x2x2x2xi32>) outs(%e : tensor<2x2x2x2x2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %s = arith.addi %in, %c : i32
    linalg.yield %s : i32
  } -> tensor<2x2x2x2x2xi32>
  return %r : tensor<2x2x2x2x2xi32>
}

// -----

// Few loops stay as they are.
// CHECK-LABEL: func @few
// CHECK-NOT: tensor.collapse_shape
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel"]
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @few(%x: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> {
  %e = tensor.empty() : tensor<2x2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x2x2x2xf32>) outs(%e : tensor<2x2x2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<2x2x2x2xf32>
  return %r : tensor<2x2x2x2xf32>
}
