// A comparison with a number that is larger than what can be there is decided: integers that are scaled to numbers of 1 at most are below 1.5, not below 1. What is loaded may be anything.

// RUN: triton-shared-opt %s --target=cuda:90a --num-warps=1 --to-phase=ptx | FileCheck %s

// CHECK-LABEL: .visible .entry of_integers(
// CHECK-NOT:   0f3FC00000
// CHECK:       setp.lt.f32 %{{.*}}, %{{.*}}, 0f3F800000;
// CHECK-NOT:   0f3FC00000
// CHECK-LABEL: .visible .entry of_floats(
// CHECK:       setp.lt.f32 %{{.*}}, %{{.*}}, 0f3FC00000;

tt.func public @of_integers(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %at = tt.addptr %b, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %c = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %to = tt.addptr %c, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %at : tensor<32x!tt.ptr<i32>>
  %f = arith.sitofp %x : tensor<32xi32> to tensor<32xf32>
  %s = arith.constant dense<4.65661287E-10> : tensor<32xf32>
  %y = arith.mulf %f, %s : tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %more = arith.constant dense<1.5> : tensor<32xf32>
  %isLess = arith.cmpf olt, %y, %one : tensor<32xf32>
  %isLessThanMore = arith.cmpf olt, %y, %more : tensor<32xf32>
  %q = arith.select %isLess, %y, %f : tensor<32xi1>, tensor<32xf32>
  %r = arith.select %isLessThanMore, %q, %f : tensor<32xi1>, tensor<32xf32>
  tt.store %to, %r : tensor<32x!tt.ptr<f32>>
  tt.return
}

tt.func public @of_floats(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %at = tt.addptr %b, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %at : tensor<32x!tt.ptr<f32>>
  %s = arith.constant dense<4.65661287E-10> : tensor<32xf32>
  %y = arith.mulf %x, %s : tensor<32xf32>
  %more = arith.constant dense<1.5> : tensor<32xf32>
  %isLess = arith.cmpf olt, %y, %more : tensor<32xf32>
  %r = arith.select %isLess, %y, %x : tensor<32xi1>, tensor<32xf32>
  tt.store %at, %r : tensor<32x!tt.ptr<f32>>
  tt.return
}
