// Every tile gets a layout; a conversion stands only where two demands meet.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[ROW:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = []>
// CHECK-DAG: #[[ONE:layout[0-9]*]] = #cta.layout<register = [], lane = {{\[\[}}], [], [], [], []], warp = []>
// CHECK-DAG: #[[ACROSS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [4, 0], [8, 0], [16, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
// CHECK-DAG: #[[DOWN:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1, 0], [2, 0], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = []>
// CHECK-DAG: #[[SUMS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [16, 0]], lane = {{\[\[}}4, 0], [0, 4], [0, 8], [8, 0], [0, 16]], warp = {{\[\[}}32, 0], [0, 32], [0, 64]]>

// A row that is read, reduced and written stays where it is. 128 numbers on 32
// lanes are four each: one vector.
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %o: memref<*xf32> {tt.divisibility = 16 : i32})
    attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: cta.convert_layout
  // CHECK: tts.load {{.*}} -> tensor<128xf32, #[[ROW]]>
  // CHECK: cta.reduce {{.*}} : (tensor<128xf32, #[[ROW]]>) -> tensor<f32, #[[ONE]]>
  // CHECK: cta.broadcast {{.*}} -> tensor<128xf32, #[[ROW]]>
  // CHECK: tts.store {{.*}} : tensor<128xf32, #[[ROW]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %zero = arith.constant 0 : i64
  %v = tts.load %x[%zero] strides [1] : memref<*xf32> -> tensor<128xf32>
  %max = cta.reduce %v axis 0 : (tensor<128xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    cta.yield %m : f32
  }
  %one = cta.reshape %max : tensor<f32> -> tensor<1xf32>
  %all = cta.broadcast %one : tensor<1xf32> -> tensor<128xf32>
  %d = arith.subf %v, %all : tensor<128xf32>
  tts.store %d to %o[%zero] strides [1] : tensor<128xf32>, memref<*xf32>
  return
}

// Rows are read and columns written, both as vectors: one exchange between.
// CHECK-LABEL: func.func @transpose(
func.func @transpose(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %o: memref<*xf32> {tt.divisibility = 16 : i32})
    attributes {cta.num_warps = 1 : i32} {
  // CHECK: %[[V:.*]] = tts.load {{.*}} -> tensor<32x32xf32, #[[ACROSS]]>
  // CHECK: %[[C:.*]] = cta.convert_layout %[[V]] : tensor<32x32xf32, #[[ACROSS]]> -> tensor<32x32xf32, #[[DOWN]]>
  // CHECK: tts.store %[[C]] {{.*}} : tensor<32x32xf32, #[[DOWN]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %zero = arith.constant 0 : i64
  %v = tts.load %x[%zero] strides [32, 1] : memref<*xf32> -> tensor<32x32xf32>
  tts.store %v to %o[%zero] strides [1, 32] : tensor<32x32xf32>, memref<*xf32>
  return
}

// What an index costs is less than what moving it costs: it is made twice.
// CHECK-LABEL: func.func @made_again(
func.func @made_again(%o: memref<*xi32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: cta.convert_layout
  // CHECK-DAG: cta.iota 0 : tensor<32x32xi32, #[[ACROSS]]>
  // CHECK-DAG: cta.iota 0 : tensor<32x32xi32, #[[DOWN]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %zero = arith.constant 0 : i64
  %i = cta.iota 0 : tensor<32x32xi32>
  tts.store %i to %o[%zero] strides [32, 1] : tensor<32x32xi32>, memref<*xi32>
  tts.store %i to %o[%zero] strides [1, 32] : tensor<32x32xi32>, memref<*xi32>
  return
}

// A variable of a loop has one layout: in it, around it and after it.
// CHECK-LABEL: func.func @loop(
func.func @loop(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i32) attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: cta.convert_layout
  // CHECK: %[[START:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32, #[[ROW]]>
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[START]]) -> (tensor<128xf32, #[[ROW]]>)
  // CHECK: arith.addf %[[SUM]], %{{.*}} : tensor<128xf32, #[[ROW]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %zero = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<128xf32>
  %sum = scf.for %k = %first to %n step %step iter_args(%s = %start) -> (tensor<128xf32>) : i32 {
    %v = tts.load %x[%zero] strides [1] : memref<*xf32> -> tensor<128xf32>
    %next = arith.addf %s, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  tts.store %sum to %x[%zero] strides [1] : tensor<128xf32>, memref<*xf32>
  return
}

// One tile may start two variables that live in different places.
// CHECK-LABEL: func.func @one_start_twice(
func.func @one_start_twice(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i32) attributes {cta.num_warps = 1 : i32} {
  // CHECK-NOT: cta.convert_layout
  // CHECK: scf.for {{.*}} -> (tensor<32x32xf32, #[[ACROSS]]>, tensor<32x32xf32, #[[DOWN]]>)
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %zero = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<32x32xf32>
  %r:2 = scf.for %k = %first to %n step %step iter_args(%s = %start, %t = %start) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %v = tts.load %x[%zero] strides [32, 1] : memref<*xf32> -> tensor<32x32xf32>
    %w = tts.load %x[%zero] strides [1, 32] : memref<*xf32> -> tensor<32x32xf32>
    %s1 = arith.addf %s, %v : tensor<32x32xf32>
    %t1 = arith.addf %t, %w : tensor<32x32xf32>
    scf.yield %s1, %t1 : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tts.store %r#0 to %x[%zero] strides [32, 1] : tensor<32x32xf32>, memref<*xf32>
  tts.store %r#1 to %x[%zero] strides [1, 32] : tensor<32x32xf32>, memref<*xf32>
  return
}

// One tile may be the indices of both dimensions of a block: each gets it where
// it needs it.
// CHECK-LABEL: func.func @one_index_twice(
func.func @one_index_twice(%x: memref<*xf32>, %y: memref<*xi64>) attributes {cta.num_warps = 1 : i32} {
  // CHECK: tts.load {{.*}} gather [0, 1] by(%[[I:.*]], %[[J:.*]] : tensor<32xi64, #[[ROWS:.*]]>, tensor<32xi64, #[[COLUMNS:.*]]>)
  // CHECK-NOT: tensor<32xi64, #[[ROWS]]>, tensor<32xi64, #[[ROWS]]>
  %zero = arith.constant 0 : i64
  %k = tts.load %y[%zero] strides [1] : memref<*xi64> -> tensor<32xi64>
  %v = tts.load %x[%zero] strides [64, 1] gather [0, 1] by (%k, %k : tensor<32xi64>, tensor<32xi64>) : memref<*xf32> -> tensor<32x32xf32>
  tts.store %v to %x[%zero] strides [32, 1] : tensor<32x32xf32>, memref<*xf32>
  return
}

// Threads that compute a product hold squares of it, and so do warps. A lane shares its rows with one neighbour and its columns
// with another.
// CHECK-LABEL: func.func @product_of_threads(
// CHECK: cta.dot {{.*}} -> tensor<64x128xf32, #[[SUMS]]>
// CHECK-NEXT: tts.store {{.*}} : tensor<64x128xf32, #[[SUMS]]>
func.func @product_of_threads(%p: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tts.load %p[%zero] strides [32, 1] : memref<*xf32> -> tensor<64x32xf32>
  %b = tts.load %p[%zero] strides [128, 1] : memref<*xf32> -> tensor<32x128xf32>
  %d = cta.dot %a, %b, %none precision "ieee" : tensor<64x32xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
  tts.store %d to %p[%zero] strides [128, 1] : tensor<64x128xf32>, memref<*xf32>
  return
}
