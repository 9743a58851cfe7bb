// RUN: triton-shared-opt %s --triton-probe-values --split-input-file | FileCheck %s

// A block takes two words before its elements, which are stored row by row where
// there is room and this is the program; pointers and constants are not probed.
// CHECK:       tt.probes = "{\22values\22:[{\22op\22:\22tt.load\22
// CHECK-SAME:    \22type\22:\22tensor<2x4xf32>\22
// CHECK-SAME:    \22line\22:{{[0-9]+}},\22column\22:{{[0-9]+}},\22parameter\22:0,\22operands\22:[-1],\22behind\22:[]}]
// CHECK-SAME:    \22stores\22:[{\22op\22:\22tt.store\22,\22parameter\22:0
// CHECK-SAME:    \22operands\22:[-1,0],\22behind\22:[]}]}"
// CHECK-LABEL: tt.func @block(
// CHECK-SAME:    %[[P:.*]]: tensor<2x4x!tt.ptr<f32>>, %[[LOG:.*]]: !tt.ptr<i32> {tt.divisibility = 16 : i32}
// CHECK:         %[[MINE:.*]] = arith.andi
// CHECK:         %[[MINE:.*]] = arith.andi
// CHECK:         %[[V:.*]] = tt.load %[[P]]
// CHECK-NEXT:    %[[BITS:.*]] = tt.bitcast %[[V]] : tensor<2x4xf32> -> tensor<2x4xi32>
// CHECK:         %[[TEN:.*]] = arith.constant 10 : i32
// CHECK-NEXT:    tt.atomic_rmw add, relaxed, gpu, %[[LOG]], %[[TEN]], %[[MINE]]
// CHECK:         %[[KEPT:.*]] = arith.andi %[[MINE]],
// CHECK:         tt.store %{{.*}}, %{{.*}}, %[[KEPT]] : !tt.ptr<i32>
// CHECK:         tt.store %{{.*}}, %{{.*}}, %[[KEPT]] : !tt.ptr<i32>
// CHECK:         %[[MASK:.*]] = tt.splat %[[KEPT]] : i1 -> tensor<2x4xi1>
// CHECK-NEXT:    tt.store %{{.*}}, %[[BITS]], %[[MASK]]
tt.func @block(%p: tensor<2x4x!tt.ptr<f32>>) {
  %0 = arith.constant dense<1.0> : tensor<2x4xf32>
  %1 = tt.load %p : tensor<2x4x!tt.ptr<f32>>
  tt.store %p, %1 : tensor<2x4x!tt.ptr<f32>>
  tt.return
}

// -----

// 64 bits are two words, fewer than 32 one.
// CHECK-LABEL: tt.func @widths(
// CHECK:         %[[WIDE:.*]] = arith.addi %{{.*}} : i64
// CHECK:         %[[HIGH:.*]] = arith.shrui %[[WIDE]],
// CHECK-NEXT:    arith.trunci %[[WIDE]] : i64 to i32
// CHECK-NEXT:    arith.trunci %[[HIGH]] : i64 to i32
// CHECK:         %[[HALF:.*]] = arith.addf %{{.*}} : f16
// CHECK-NEXT:    %[[BITS:.*]] = tt.bitcast %[[HALF]] : f16 -> i16
// CHECK-NEXT:    arith.extui %[[BITS]] : i16 to i32
tt.func @widths(%a: i64, %b: f16) {
  %0 = arith.addi %a, %a : i64
  %1 = arith.addf %b, %b : f16
  tt.return
}

// -----

// What a loop carries names where it may come from; the region of a reduction has
// no values of its own.
// CHECK:       {\22op\22:\22tt.func\22,\22carried\22:true,\22result\22:0,\22type\22:\22tensor<4xf32>\22
// CHECK-SAME:  {\22op\22:\22tt.func\22
// CHECK-SAME:  {\22op\22:\22scf.for\22,\22carried\22:true
// CHECK-SAME:    \22operands\22:[],
// CHECK-SAME:  {\22op\22:\22scf.for\22,\22carried\22:true
// CHECK-SAME:    \22operands\22:[0,4],
// CHECK-SAME:  {\22op\22:\22arith.addf\22,\22carried\22:false
// CHECK-SAME:    \22operands\22:[3,3],
// CHECK-SAME:  {\22op\22:\22scf.for\22,\22carried\22:true
// CHECK-SAME:    \22operands\22:[0,4],
// CHECK-SAME:  {\22op\22:\22tt.reduce\22
// CHECK-SAME:    \22operands\22:[5],\22behind\22:[]}],
tt.func @loop(%x: tensor<4xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) : i32 {
    %1 = arith.addf %a, %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %3 = arith.addf %l, %r : f32
    tt.reduce.return %3 : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

// So do branches, and loops that ask.
// CHECK:       {\22op\22:\22arith.cmpf\22
// CHECK-SAME:  {\22op\22:\22scf.if\22,\22carried\22:true
// CHECK-SAME:    \22operands\22:[2,0],
// CHECK-SAME:  {\22op\22:\22scf.while\22,\22carried\22:true
// CHECK-SAME:    \22operands\22:[3,7],
tt.func @branches(%x: f32) {
  %0 = arith.cmpf ogt, %x, %x : f32
  %1 = scf.if %0 -> f32 {
    %2 = arith.addf %x, %x : f32
    scf.yield %2 : f32
  } else {
    scf.yield %x : f32
  }
  %3 = scf.while (%a = %1) : (f32) -> f32 {
    %4 = arith.cmpf ogt, %a, %x : f32
    scf.condition(%4) %a : f32
  } do {
  ^bb0(%b: f32):
    %5 = arith.addf %b, %b : f32
    scf.yield %5 : f32
  }
  tt.return
}

// -----

// A pointer is made of values, though it has no number itself.
// CHECK:       {\22op\22:\22tt.load\22
// CHECK-SAME:    \22operands\22:[-1],\22behind\22:[1]}
// CHECK-SAME:    \22stores\22:[{\22op\22:\22tt.store\22,\22parameter\22:0
tt.func @pointers(%p: !tt.ptr<i32>, %n: i32) {
  %0 = arith.addi %n, %n : i32
  %1 = tt.addptr %p, %0 : !tt.ptr<i32>, i32
  %2 = tt.load %1 : !tt.ptr<i32>
  tt.store %1, %2 : !tt.ptr<i32>
  tt.return
}

// -----

// What is read in a loop names that, too.
// CHECK:       {\22op\22:\22tt.load\22
// CHECK-SAME:    \22parameter\22:1,\22loop\22:{\22file\22:\22{{[^"]*}}\22,\22line\22:[[@LINE+4]],\22column\22:
tt.func @read_again(%n: i32, %p: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %1 = tt.load %0 : !tt.ptr<f32>
    tt.store %0, %1 : !tt.ptr<f32>
  }
  tt.return
}

// -----

// One value alone is stored where it was stored before: nothing counts.
// RUN: triton-shared-opt %s --triton-probe-values=only=1 --split-input-file | FileCheck %s --check-prefix=ONE
// ONE-LABEL: tt.func @one(
// ONE-NOT:     tt.atomic_rmw
// ONE:         %[[SECOND:.*]] = arith.muli
// ONE:         tt.store %{{.*}}, %[[SECOND]],
// ONE-NOT:     tt.atomic_rmw
tt.func @one(%n: i32) {
  %0 = arith.muli %n, %n : i32
  tt.return
}
