// RUN: triton-shared-opt %s --triton-inline-calls | FileCheck %s
// RUN: triton-shared-opt %s --triton-inline-calls --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Calls in calls become their code; quoted names and `noinline` change nothing.
// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32)
// CHECK-NEXT:    %[[TWICE:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT:    %[[FOUR:.*]] = arith.addf %[[TWICE]], %[[TWICE]] : f32
// CHECK-NEXT:    tt.store %[[P]], %[[FOUR]] : !tt.ptr<f32>
// CHECK-NEXT:    tt.return
tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
  %0 = tt.call @"lib.four_times__f32_(1,)"(%x) : (f32) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// A call in a region of an operation.
// CHECK-LABEL: tt.func public @in_a_reduction(
// CHECK:         "tt.reduce"
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[MAX:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK-NEXT:      tt.reduce.return %[[MAX]] : f32
tt.func public @in_a_reduction(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = tt.call @larger(%a, %b) : (f32, f32) -> f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// Results in another order, and one that is an argument.
// CHECK-LABEL: tt.func public @results(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT:    tt.store %[[P]], %[[Y]]
// CHECK-NEXT:    tt.store %[[P]], %[[X]]
tt.func public @results(%p: !tt.ptr<f32>, %x: f32, %y: f32) {
  %0:2 = tt.call @swap(%x, %y) : (f32, f32) -> (f32, f32)
  tt.store %p, %0#0 : !tt.ptr<f32>
  tt.store %p, %0#1 : !tt.ptr<f32>
  tt.return
}

// Nothing but kernels is left.
// CHECK-NOT: tt.func
tt.func private @"lib.four_times__f32_(1,)"(%x: f32) -> f32 attributes {noinline = true} {
  %0 = tt.call @twice(%x) : (f32) -> f32
  %1 = tt.call @twice(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @twice(%x: f32) -> f32 {
  // LOC: arith.addf {{.*}} loc(#[[SITE:.*]])
  // LOC-DAG: #[[SITE]] = loc(callsite(#{{.*}} at #{{.*}}))
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}
tt.func private @larger(%a: f32, %b: f32) -> f32 {
  %0 = arith.maximumf %a, %b : f32
  tt.return %0 : f32
}
tt.func private @swap(%a: f32, %b: f32) -> (f32, f32) {
  tt.return %b, %a : f32, f32
}
tt.func private @nobody_calls_this() {
  tt.return
}
