// RUN: triton-shared-opt %s --structured-recover-accesses --split-input-file | FileCheck %s

// Offsets that control flow changes by the same amount in every element become
// scalars that it carries.

// The tensor has no use any more: the loop yields what it got.
// CHECK-LABEL: tt.func @for_loop(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %[[N:[^:]+]]: i32, %[[S:[^:]+]]: i64)
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}, %[[OFFSET:.*]] = %{{.*}}) -> (tensor<8xf32>, tensor<8xi64>, i64)
// CHECK:           tts.load %[[P]][%[[OFFSET]]] strides [1]
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK:           scf.yield %{{.*}}, %[[OLD]], %[[NEXT]]
tt.func @for_loop(%p: !tt.ptr<f32>, %n: i32, %s: i64) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %step = tt.splat %s : i64 -> tensor<8xi64>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %o) -> (tensor<8xf32>, tensor<8xi64>) : i32 {
    %t = tts.gather %p[%at] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    %sum = arith.addf %acc, %t : tensor<8xf32>
    %next = arith.addi %at, %step : tensor<8xi64>
    scf.yield %sum, %next : tensor<8xf32>, tensor<8xi64>
  }
  tt.return %r#0 : tensor<8xf32>
}

// -----

// A loop that scales its offsets has a different pattern every time.
// CHECK-LABEL: tt.func @scaled(
// CHECK:         tts.gather
tt.func @scaled(%p: !tt.ptr<f32>, %n: i32, %s: i64) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %step = tt.splat %s : i64 -> tensor<8xi64>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %o) -> (tensor<8xf32>, tensor<8xi64>) : i32 {
    %t = tts.gather %p[%at] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    %sum = arith.addf %acc, %t : tensor<8xf32>
    %next = arith.muli %at, %step : tensor<8xi64>
    scf.yield %sum, %next : tensor<8xf32>, tensor<8xi64>
  }
  tt.return %r#0 : tensor<8xf32>
}

// -----

// The branches of an `if` differ by a scalar.
// CHECK-LABEL: tt.func @branch(
// CHECK-SAME:    %[[P:[^:]+]]: !tt.ptr<f32>, %{{[^:]+}}: i1, %[[S:[^:]+]]: i64)
// CHECK:         %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<8xi64>, i64)
// CHECK:           scf.yield %{{.*}}, %[[S]] : tensor<8xi64>, i64
// CHECK:           scf.yield %{{.*}}, %{{.*}} : tensor<8xi64>, i64
// CHECK:         tts.load %[[P]][%[[R]]#1] strides [1]
tt.func @branch(%p: !tt.ptr<f32>, %c: i1, %s: i64) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %at = scf.if %c -> (tensor<8xi64>) {
    %step = tt.splat %s : i64 -> tensor<8xi64>
    %moved = arith.addi %o, %step : tensor<8xi64>
    scf.yield %moved : tensor<8xi64>
  } else {
    scf.yield %o : tensor<8xi64>
  }
  %t = tts.gather %p[%at] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Both halves of a `while` carry the scalar.
// CHECK-LABEL: tt.func @while_loop(
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}) : (tensor<8xi64>, i64) -> (tensor<8xi64>, i64)
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, %[[BEFORE]] : tensor<8xi64>, i64
// CHECK:         ^bb0(%{{.*}}: tensor<8xi64>, %[[AFTER:.*]]: i64):
// CHECK:           tts.load %{{.*}}[%[[AFTER]]] strides [1]
// CHECK:           scf.yield %{{.*}}, %{{.*}} : tensor<8xi64>, i64
tt.func @while_loop(%p: !tt.ptr<i32>, %s: i64) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %step = tt.splat %s : i64 -> tensor<8xi64>
  %c0 = arith.constant 0 : i64
  %r = scf.while (%at = %o) : (tensor<8xi64>) -> tensor<8xi64> {
    %flag = tts.load %p[%c0] strides [] : !tt.ptr<i32> -> i32
    %go = arith.trunci %flag : i32 to i1
    scf.condition(%go) %at : tensor<8xi64>
  } do {
  ^bb0(%at: tensor<8xi64>):
    %t = tts.gather %p[%at] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
    tts.scatter %t to %p[%at] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
    %next = arith.addi %at, %step : tensor<8xi64>
    scf.yield %next : tensor<8xi64>
  }
  tt.return
}

// -----

// An index that grows in the outer loop and goes through the inner one before
// it is yielded: its range has no end, but finding that out has.
// CHECK-LABEL: tt.func @through_an_inner_loop(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             tts.load %{{.*}}[%{{.*}}] strides [1]
tt.func @through_an_inner_loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %one = arith.constant dense<1> : tensor<8xi64>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%x = %o) -> (tensor<8xi64>) : i32 {
    %moved = arith.addi %x, %one : tensor<8xi64>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%y = %moved) -> (tensor<8xi64>) : i32 {
      %t = tts.gather %p[%y] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
      tts.scatter %t to %p[%y] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
      scf.yield %y : tensor<8xi64>
    }
    scf.yield %s : tensor<8xi64>
  }
  tt.return
}
