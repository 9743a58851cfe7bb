// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// The scalar op runs in a loop over the elements.
// CHECK: #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @add(
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]]], iterator_types = ["parallel"]}
// CHECK-SAME:      ins(%[[X:.*]], %[[X]] : tensor<8xf32>, tensor<8xf32>) outs(%[[EMPTY]] : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
tt.func public @add(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %x, %x : tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// -----

// Attributes of the op come along; hints about a tensor end here.
// CHECK-LABEL: func.func @attributes(
// CHECK:         arith.cmpf ult, %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK:         arith.muli %{{.*}}, %{{.*}} overflow<nsw> : i32
tt.func public @attributes(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi32>) {
  %0 = arith.cmpf ult, %x, %x fastmath<nnan> : tensor<8xf32>
  %1 = arith.muli %i, %i overflow<nsw> {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8xi32>
  tt.return %0, %1 : tensor<8xi1>, tensor<8xi32>
}

// -----

// A scalar condition counts for each element.
// CHECK-LABEL: func.func @scalar_condition(
// CHECK-SAME:    %{{.*}}: tensor<2x4xf32>, %{{.*}}: tensor<2x4xf32>, %[[C:[^:]*]]: i1
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK:           arith.select %[[C]], %{{.*}}, %{{.*}} : f32
tt.func public @scalar_condition(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %c: i1) -> tensor<2x4xf32> {
  %0 = arith.select %c, %x, %y : tensor<2x4xf32>
  tt.return %0 : tensor<2x4xf32>
}

// -----

// One repeated value is a fill, different values stay data.
// CHECK-LABEL: func.func @constants(
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK:         %[[DATA:.*]] = arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK:         return %[[FILL]], %[[DATA]]
tt.func public @constants() -> (tensor<4xf32>, tensor<2xi32>) {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  %1 = arith.constant dense<[1, 2]> : tensor<2xi32>
  tt.return %0, %1 : tensor<4xf32>, tensor<2xi32>
}

// -----

// Undefined elements are zero in each run.
// CHECK-LABEL: func.func @poison(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         linalg.fill ins(%[[ZERO]] : f32)
tt.func public @poison() -> tensor<4xf32> {
  %0 = ub.poison : tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// -----

// Without propagation a NaN gives way to a bound, with it the NaN stays.
// CHECK-LABEL: func.func @clamp(
// CHECK:         %[[RAISED:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    arith.minnumf %[[RAISED]], %{{.*}} : f32
// CHECK:         %[[RAISED:.*]] = arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    arith.minimumf %[[RAISED]], %{{.*}} : f32
tt.func public @clamp(%x: tensor<8xf32>, %lo: tensor<8xf32>, %hi: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<8xf32>
  %1 = tt.clampf %x, %lo, %hi, propagateNan = all : tensor<8xf32>
  tt.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Scalars need no loop.
// CHECK-LABEL: func.func @scalars(
// CHECK-NOT:     linalg.generic
// CHECK:         math.sqrt %{{.*}} {tts.precise} : f32
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK:         %{{.*}}, %[[HIGH:.*]] = arith.mului_extended %{{.*}}, %{{.*}} : i32
// CHECK:         return %{{.*}}, %[[HIGH]]
tt.func public @scalars(%x: f32, %i: i32) -> (f32, i32) {
  %0 = tt.precise_sqrt %x : f32
  %1 = tt.precise_divf %0, %x : f32
  %2 = tt.approx_divf %1, %x : f32
  %3 = tt.mulhiui %i, %i : i32
  tt.return %2, %3 : f32, i32
}
