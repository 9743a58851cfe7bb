// RUN: triton-shared-opt %s --structured-to-memref | FileCheck %s

// Along the only dimension the loop carries scalars.
// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[FIRST:.*]] = tensor.extract %[[X]][%[[C0]]]
// CHECK:         %[[OUT0:.*]] = tensor.insert %[[FIRST]] into %{{.*}}[%[[C0]]]
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[K:[a-z0-9]+]] = %[[C1]] to %[[C8]] step %[[C1]] iter_args(%[[SUM:.*]] = %[[FIRST]], %[[OUT:.*]] = %[[OUT0]])
// CHECK:           %[[NEW:.*]] = tensor.extract %[[X]][%[[K]]]
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[NEW]]
// CHECK:           %[[OUT1:.*]] = tensor.insert %[[NEXT]] into %[[OUT]][%[[K]]]
// CHECK:           scf.yield %[[NEXT]], %[[OUT1]]
// CHECK:         return %[[LOOP]]#1
func.func @running_sum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tts.scan %x axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    tts.yield %1 : f32
  }
  return %0 : tensor<8xf32>
}

// Along one of several dimensions it carries slices, here of columns.
// CHECK-LABEL: func.func @along_columns(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>)
// CHECK:         scf.for %[[K:[a-z0-9]+]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[OUT:.*]] = %{{.*}}) -> (tensor<1x8xf32>, tensor<4x8xf32>)
// CHECK:           %[[NEW:.*]] = tensor.extract_slice %[[X]][%[[K]], 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
// CHECK:           %[[OLD:.*]] = tensor.extract_slice %[[OUT]][%[[K]], 0] [1, 8] [1, 1]
// CHECK:           %[[NEXT:.*]]:2 = linalg.generic {{.*}} ins(%[[NEW]] : tensor<1x8xf32>) outs(%[[SUM]], %[[OLD]] : tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK-NEXT:      ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK:             %[[C:.*]] = arith.mulf %[[B]], %[[A]]
// CHECK:             linalg.yield %[[C]], %[[C]]
// CHECK:           %[[OUT1:.*]] = tensor.insert_slice %[[NEXT]]#1 into %[[OUT]][%[[K]], 0] [1, 8] [1, 1]
// CHECK:           scf.yield %[[NEXT]]#0, %[[OUT1]]
func.func @along_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tts.scan %x axis 0 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %b : f32
    tts.yield %1 : f32
  }
  return %0 : tensor<4x8xf32>
}

// In reverse it starts at the end and goes down, with all operands at once.
// CHECK-LABEL: func.func @reverse_of_two(
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : index
// CHECK:         tensor.extract_slice %{{.*}}[0, %[[C7]]] [4, 1] [1, 1]
// CHECK:         scf.for %[[K:[a-z0-9]+]] =
// CHECK:           %[[PLACE:.*]] = arith.subi %[[C7]], %[[K]]
// CHECK:           tensor.extract_slice %{{.*}}[0, %[[PLACE]]] [4, 1] [1, 1]
// CHECK:           linalg.generic
// CHECK-NEXT:      ^bb0(%[[NF:[a-z0-9_]+]]: i32, %[[NV:[a-z0-9_]+]]: f32, %[[AF:[a-z0-9_]+]]: i32, %[[AV:[a-z0-9_]+]]: f32, 
// CHECK:             arith.ori %[[AF]], %[[NF]]
// CHECK:             arith.addf %[[AV]], %[[NV]]
func.func @reverse_of_two(%f: tensor<4x8xi32>, %v: tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>) {
  %0:2 = tts.scan %f, %v axis 1 reverse : (tensor<4x8xi32>, tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>) {
  ^bb0(%af: i32, %av: f32, %bf: i32, %bv: f32):
    %1 = arith.ori %af, %bf : i32
    %2 = arith.addf %av, %bv : f32
    tts.yield %1, %2 : i32, f32
  }
  return %0#0, %0#1 : tensor<4x8xi32>, tensor<4x8xf32>
}

// What the region takes from outside stays there.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %{{[^:]*}}: tensor<8xf32>, %[[F:[^:]*]]: f32)
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:           %[[LESS:.*]] = arith.mulf %[[SUM]], %[[F]]
// CHECK:           arith.addf %[[LESS]],
func.func @scaled(%x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = tts.scan %x axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %f : f32
    %2 = arith.addf %1, %b : f32
    tts.yield %2 : f32
  }
  return %0 : tensor<8xf32>
}

// The dimension may be any of many, and of size 1.
// CHECK-LABEL: func.func @inner_dimension(
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, %{{.*}}, 0, 0] [2, 3, 1, 4, 5] [1, 1, 1, 1, 1] : tensor<2x3x1x4x5xi32> to tensor<2x3x1x4x5xi32>
func.func @inner_dimension(%x: tensor<2x3x1x4x5xi32>) -> tensor<2x3x1x4x5xi32> {
  %0 = tts.scan %x axis 2 : (tensor<2x3x1x4x5xi32>) -> tensor<2x3x1x4x5xi32> {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.maxsi %a, %b : i32
    tts.yield %1 : i32
  }
  return %0 : tensor<2x3x1x4x5xi32>
}
