// Views rename elements; slices that begin anywhere are read at computed places.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:[^:]*]]: tensor<32xf32>
func.func @views(%x: tensor<32xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[ROWS:.*]] = cta.reshape %[[X]] : tensor<32xf32> -> tensor<4x8xf32>
  // CHECK: cta.transpose %[[ROWS]] [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %rows = tensor.expand_shape %x [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.transpose ins(%rows : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  return %0 : tensor<8x4xf32>
}

// A slice is read at its own coordinates plus its offsets.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>
func.func @slice(%x: tensor<4x8xf32>, %column: index) -> tensor<4xf32> {
  // CHECK: %[[ROW:.*]] = cta.splat %{{.*}} : tensor<4xindex>
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<4xindex>
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[I]], %{{.*}} : tensor<4xindex>
  // CHECK: cta.lookup %[[X]][%[[ROW]], %[[COLUMN]] : tensor<4xindex>, tensor<4xindex>] : tensor<4x8xf32> -> tensor<4xf32>
  %0 = tensor.extract_slice %x[2, %column] [1, 4] [1, 1] : tensor<4x8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Elements outside of what is inserted stay.
// CHECK-LABEL: func.func @insert(
// CHECK-SAME: %[[PART:[^:]*]]: tensor<4xf32>, %[[X:[^:]*]]: tensor<8xf32>
func.func @insert(%part: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<8xindex>
  // CHECK: %[[FROM:.*]] = arith.subi %[[I]], %{{.*}} : tensor<8xindex>
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[FROM]], %{{.*}} : tensor<8xindex>
  // CHECK: %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[FROM]], %{{.*}}
  // CHECK: %[[NEW:.*]] = cta.lookup %[[PART]][%[[PLACE]] : tensor<8xindex>]
  // CHECK: arith.select %[[INSIDE]], %[[NEW]], %[[X]]
  %0 = tensor.insert_slice %part into %x[3] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One element is everyone's; a tensor of rank 0 is what is put into it.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>, %[[K:[^:]*]]: index
func.func @scalars(%x: tensor<8xf32>, %k: index) -> tensor<f32> {
  // CHECK: %[[V:.*]] = cta.extract %[[X]][%[[K]]] : tensor<8xf32>
  // CHECK: cta.splat %[[V]] : tensor<f32>
  %v = tensor.extract %x[%k] : tensor<8xf32>
  %e = tensor.empty() : tensor<f32>
  %0 = tensor.insert %v into %e[] : tensor<f32>
  return %0 : tensor<f32>
}

// Of every second element, the place is the index times the stride.
// CHECK-LABEL: func.func @strided_slice(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16xf32>
func.func @strided_slice(%x: tensor<16xf32>) -> tensor<4xf32> {
  // CHECK: %[[START:.*]] = cta.splat %{{.*}} : tensor<4xindex>
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<4xindex>
  // CHECK: %[[STEPS:.*]] = arith.muli %[[I]], %{{.*}} : tensor<4xindex>
  // CHECK: %[[PLACE:.*]] = arith.addi %[[STEPS]], %[[START]] : tensor<4xindex>
  // CHECK: cta.lookup %[[X]][%[[PLACE]] : tensor<4xindex>] : tensor<16xf32> -> tensor<4xf32>
  %0 = tensor.extract_slice %x[3] [4] [2] : tensor<16xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Elements between those that are inserted stay.
// CHECK-LABEL: func.func @strided_insert(
// CHECK-SAME: %[[PART:[^:]*]]: tensor<4xf32>, %[[X:[^:]*]]: tensor<16xf32>
func.func @strided_insert(%part: tensor<4xf32>, %x: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<16xindex>
  // CHECK: %[[FROM:.*]] = arith.subi %[[I]], %{{.*}} : tensor<16xindex>
  // CHECK: %[[BEFORE_END:.*]] = arith.cmpi ult, %[[FROM]], %{{.*}} : tensor<16xindex>
  // CHECK: %[[REST:.*]] = arith.remui %[[FROM]], %{{.*}} : tensor<16xindex>
  // CHECK: %[[HITS:.*]] = arith.cmpi eq, %[[REST]], %{{.*}} : tensor<16xindex>
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[BEFORE_END]], %[[HITS]]
  // CHECK: %[[NUMBER:.*]] = arith.divui %[[FROM]], %{{.*}} : tensor<16xindex>
  // CHECK: %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[NUMBER]], %{{.*}}
  // CHECK: %[[NEW:.*]] = cta.lookup %[[PART]][%[[PLACE]] : tensor<16xindex>]
  // CHECK: arith.select %[[INSIDE]], %[[NEW]], %[[X]]
  %0 = tensor.insert_slice %part into %x[3] [4] [2] : tensor<4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}
