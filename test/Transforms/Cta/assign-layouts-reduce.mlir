// What a reduction leaves lies where its operand does, whoever asks for it.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[TILE:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 32], [1, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
// CHECK-DAG: #[[LEFT:layout[0-9]*]] = #cta.layout<register = {{\[\[}}32]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []>

// The store would like neighbours in one thread, but decides nothing about the
// operand, which no access tells the layout of.
// CHECK-LABEL: func.func @indices(
func.func @indices(%o: memref<*xi32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  // CHECK: %[[I:.*]] = cta.iota 1 : tensor<2x64xi32, #[[TILE]]>
  // CHECK: %[[SUM:.*]] = cta.reduce %[[I]] axis 0 : (tensor<2x64xi32, #[[TILE]]>) -> tensor<64xi32, #[[LEFT]]>
  // CHECK: tts.store %[[SUM]]
  %i = cta.iota 1 : tensor<2x64xi32>
  %sum = cta.reduce %i axis 0 : (tensor<2x64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    cta.yield %s : i32
  }
  tts.store %sum to %o[%zero] strides [1] : tensor<64xi32>, memref<*xi32>
  return
}

// The indices have the layout of what they are added to, which is another's
// wish: their sum still lies where they do.
// CHECK-LABEL: func.func @shared_indices(
func.func @shared_indices(%x: memref<*xi32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  // CHECK: %[[I:.*]] = cta.iota 0 : tensor<64xi32, #[[LAYOUT:layout[0-9]*]]>
  // CHECK: cta.reduce %[[I]] axis 0 : (tensor<64xi32, #[[LAYOUT]]>) -> tensor<i32, #[[ALL:layout[0-9]*]]>
  %i = cta.iota 0 : tensor<64xi32>
  %v = tts.load %x[%zero] strides [1] : memref<*xi32> -> tensor<64xi32>
  %moved = arith.addi %v, %i : tensor<64xi32>
  tts.store %moved to %x[%zero] strides [1] : tensor<64xi32>, memref<*xi32>
  %sum = cta.reduce %i axis 0 : (tensor<64xi32>) -> tensor<i32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    cta.yield %s : i32
  }
  %one = cta.extract %sum[] : tensor<i32>
  tts.store %one to %x[%zero] strides [] : i32, memref<*xi32>
  return
}
