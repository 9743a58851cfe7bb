// Every operation of cta is read as it is printed.
// RUN: triton-shared-opt %s | triton-shared-opt | FileCheck %s

// CHECK-LABEL: func.func @from_nothing(
func.func @from_nothing(%x: f32) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  // CHECK: cta.splat %{{.*}} : tensor<4x8xf32>
  %0 = cta.splat %x : tensor<4x8xf32>
  // CHECK: cta.iota 1 : tensor<4x8xi32>
  %1 = cta.iota 1 : tensor<4x8xi32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xi32>
}

// CHECK-LABEL: func.func @shapes(
func.func @shapes(%row: tensor<8xf32>) -> tensor<8x4xf32> {
  // CHECK: cta.reshape %{{.*}} : tensor<8xf32> -> tensor<1x8xf32>
  %0 = cta.reshape %row : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: cta.broadcast %{{.*}} : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = cta.broadcast %0 : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: cta.transpose %{{.*}} [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = cta.transpose %1 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @computed_places(
func.func @computed_places(%x: tensor<4x8xf32>, %i: tensor<16xi32>, %k: index) -> (tensor<16xf32>, f32) {
  // CHECK: cta.lookup %{{.*}}[%{{.*}}, %{{.*}} : tensor<16xi32>, tensor<16xi32>] : tensor<4x8xf32> -> tensor<16xf32>
  %0 = cta.lookup %x[%i, %i : tensor<16xi32>, tensor<16xi32>] : tensor<4x8xf32> -> tensor<16xf32>
  // CHECK: cta.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x8xf32>
  %1 = cta.extract %x[%k, %k] : tensor<4x8xf32>
  return %0, %1 : tensor<16xf32>, f32
}

// CHECK-LABEL: func.func @across_elements(
func.func @across_elements(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  // CHECK: cta.reduce %{{.*}} axis 1 : (tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: cta.yield %{{.*}} : f32
  %0 = cta.reduce %x axis 1 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    cta.yield %s : f32
  }
  // CHECK: cta.scan %{{.*}} axis 0 reverse : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = cta.scan %x axis 0 reverse : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    cta.yield %s : f32
  }
  return %0, %1 : tensor<4xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @products(
func.func @products(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: cta.dot %{{.*}}, %{{.*}}, %{{.*}} precision "tf32" imprecise 32 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = cta.dot %a, %b, %c precision "tf32" imprecise 32 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @element_by_element(
func.func @element_by_element(%x: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: cta.map %{{.*}} : (tensor<8xi32>) -> tensor<8xi32> {
  %0 = cta.map %x : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%e: i32):
    %one = arith.constant 1 : i32
    %next = arith.addi %e, %one : i32
    cta.yield %next : i32
  }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @turn_by_turn(
func.func @turn_by_turn(%first: i32, %end: i32, %step: i32, %last: i32) -> i1 {
  // CHECK: cta.all_turns from %{{.*}} to %{{.*}} step %{{.*}} : i32 {
  %0 = cta.all_turns from %first to %end step %step : i32 {
  ^bb0(%turn: i32):
    %holds = arith.cmpi slt, %turn, %last : i32
    cta.yield %holds : i1
  }
  return %0 : i1
}
