// Operands of a product whose rows begin anywhere are loaded one element at a
// time. Threads hold whole words of what goes to shared memory all the same,
// and warps rows of their own: half as many rows, and addresses, to a thread.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [4, 0], [8, 0], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: #[[COLUMNS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = {{\[\[}}0, 1], [0, 2]]>
// CHECK-DAG: #[[BYTES:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>

// CHECK-LABEL: func.func @halves(
// CHECK: tts.load %arg0{{.*}} -> tensor<32x64xf16, #[[ROWS]]>
// CHECK: tts.load %arg1{{.*}} -> tensor<64x32xf16, #[[COLUMNS]]>
func.func @halves(%a: memref<*xf16>, %b: memref<*xf16>, %c: memref<*xf32>, %stride: i64, %n: i64)
    attributes {cta.num_warps = 4 : i32} {
  %none = arith.constant 0 : i64
  %depth = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %p = scf.for %t = %none to %n step %depth iter_args(%sum = %zero) -> (tensor<32x32xf32>) : i64 {
    %l = tts.load %a[%t] strides [%stride, 1] : memref<*xf16> -> tensor<32x64xf16>
    %r = tts.load %b[%t] strides [1, %stride] : memref<*xf16> -> tensor<64x32xf16>
    %d = cta.dot %l, %r, %sum : tensor<32x64xf16>, tensor<64x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tts.store %p to %c[%none] strides [%stride, 1] : tensor<32x32xf32>, memref<*xf32>
  return
}

// Four bytes make a word.
// CHECK-LABEL: func.func @bytes(
// CHECK: tts.load %arg0{{.*}} -> tensor<32x64xi8, #[[BYTES]]>
func.func @bytes(%a: memref<*xi8>, %b: memref<*xi8>, %c: memref<*xi32>, %stride: i64, %n: i64)
    attributes {cta.num_warps = 4 : i32} {
  %none = arith.constant 0 : i64
  %depth = arith.constant 64 : i64
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %p = scf.for %t = %none to %n step %depth iter_args(%sum = %zero) -> (tensor<32x32xi32>) : i64 {
    %l = tts.load %a[%t] strides [%stride, 1] : memref<*xi8> -> tensor<32x64xi8>
    %r = tts.load %b[%t] strides [1, %stride] : memref<*xi8> -> tensor<64x32xi8>
    %d = cta.dot %l, %r, %sum : tensor<32x64xi8>, tensor<64x32xi8> -> tensor<32x32xi32>
    scf.yield %d : tensor<32x32xi32>
  }
  tts.store %p to %c[%none] strides [%stride, 1] : tensor<32x32xi32>, memref<*xi32>
  return
}
