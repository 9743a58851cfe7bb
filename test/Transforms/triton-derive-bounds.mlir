// RUN: triton-shared-opt %s --triton-derive-bounds --split-input-file | FileCheck %s

// Every float is two f64, in registers and in memory; constants are exact.
// CHECK-LABEL: tt.func @moved(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %[[PB:.*]]: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %[[X:.*]]: f64, %[[XB:.*]]: f64)
// CHECK-NEXT:    %[[Y:.*]] = tt.load %[[P]] : !tt.ptr<f64>
// CHECK-NEXT:    %[[YB:.*]] = tt.load %[[PB]] : !tt.ptr<f64>
// CHECK-NEXT:    %[[C:.*]] = arith.constant 2.500000e-01 : f64
// CHECK-NEXT:    %[[CB:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:         tt.store %[[P]], %[[Y]] : !tt.ptr<f64>
// CHECK-NEXT:    tt.store %[[PB]], %[[YB]] : !tt.ptr<f64>
// CHECK-NEXT:    tt.store %[[P]], %[[C]] : !tt.ptr<f64>
// CHECK-NEXT:    tt.store %[[PB]], %[[CB]] : !tt.ptr<f64>
tt.func @moved(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x: f32) {
  %0 = tt.load %p : !tt.ptr<f16>
  %1 = arith.constant 0.25 : f16
  tt.store %p, %0 : !tt.ptr<f16>
  tt.store %p, %1 : !tt.ptr<f16>
  tt.return
}

// -----

// A sum has the bounds of both operands, and is rounded: by 2^-24 of what it may
// be, 2^-52 for f64's own sake. Beyond the largest f32, nothing is known.
// CHECK-LABEL: tt.func @sum(
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]*]]: f64, %[[XB:[a-z0-9]*]]: f64)
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[X]], %[[X]] : f64
// CHECK-NEXT:    %[[CARRIED:.*]] = arith.addf %[[XB]], %[[XB]] : f64
// CHECK:         %[[SIZE:.*]] = math.absf %[[S]] : f64
// CHECK-NEXT:    %[[REACH:.*]] = arith.addf %[[SIZE]], %[[CARRIED]] : f64
// CHECK-NEXT:    %[[U:.*]] = arith.constant 5.960464{{[0-9]*}}E-8 : f64
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.mulf %[[U]], %[[REACH]] : f64
// CHECK-NEXT:    arith.addf %[[CARRIED]], %[[ROUNDED]] : f64
// CHECK:         arith.constant 3.402823{{[0-9]*}}E+38 : f64
// CHECK-NEXT:    arith.cmpf ogt, %[[REACH]]
tt.func @sum(%p: !tt.ptr<f32>, %x: f32) {
  %0 = arith.addf %x, %x : f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

// What is chosen by a comparison that may go either way may be either side; the
// larger size of two is no comparison.
// CHECK-LABEL: tt.func @choice(
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]*]]: f64, %[[XB:[a-z0-9]*]]: f64, %[[Y:[a-z0-9]*]]: f64, %[[YB:[a-z0-9]*]]: f64)
// CHECK:         %[[REACH:.*]] = arith.addf %[[XB]], %[[YB]] : f64
// CHECK:         %[[NEAR:.*]] = arith.cmpf ule, %{{.*}}, %[[REACH]] : f64
// CHECK:         %[[OPEN:.*]] = arith.andi %[[NEAR]], %{{.*}} : i1
// CHECK:         %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[Y]] : f64
// CHECK:         %[[V:.*]] = arith.select %[[ABOVE]], %[[X]], %[[Y]] : f64
// CHECK:         %[[B:.*]] = arith.select %[[ABOVE]], %[[XB]], %[[YB]] : f64
// CHECK:         arith.select %[[OPEN]], %{{.*}}, %[[B]] : f64
// CHECK:         arith.maxnumf %[[V]], %[[X]] : f64
// CHECK-NEXT:    arith.maximumf %{{.*}}, %[[XB]] : f64
tt.func @choice(%p: !tt.ptr<f32>, %x: f32, %y: f32) {
  %0 = arith.cmpf ogt, %x, %y : f32
  %1 = arith.select %0, %x, %y : f32
  %2 = arith.maxnumf %1, %x : f32
  tt.store %p, %2 : !tt.ptr<f32>
  tt.return
}

// -----

// A sum of eight is summed up with sizes and bounds, for any order.
// CHECK-LABEL: tt.func @reduced(
// CHECK-COUNT-3: "tt.reduce"
// CHECK-NOT:     "tt.reduce"
// CHECK:         arith.constant 4.76837{{[0-9]*}}E-7 : f64
tt.func @reduced(%p: !tt.ptr<f32>, %x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %1 = arith.addf %l, %r : f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

// A product of matrices, of sizes, and of either side's bounds.
// CHECK-LABEL: tt.func @product(
// CHECK-COUNT-4: tt.dot {{.*}} : tensor<16x32xf64> * tensor<32x16xf64> -> tensor<16x16xf64>
// CHECK-NOT:     tt.dot
tt.func @product(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) {
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.store %p, %0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Loops carry the bound; the function is computed at both ends of its operand.
// CHECK-LABEL: tt.func @loop(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f64, f64)
// CHECK-COUNT-3:   math.exp2
// CHECK-NOT:       math.exp2
// CHECK:           scf.yield %{{.*}}, %{{.*}} : f64, f64
tt.func @loop(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> (f32) : i32 {
    %1 = math.exp2 %y : f32
    scf.yield %1 : f32
  }
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}
