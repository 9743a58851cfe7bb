// RUN: triton-shared-opt %s --cpu-carry-in-place | FileCheck %s

// What an iteration yields is copied to the place of the loop.
// CHECK-LABEL: func.func @new_buffer(
// CHECK-SAME:    %[[INIT:[^:]*]]: memref<8xf32>
// CHECK:         %[[PLACE:.*]] = memref.alloc()
// CHECK:         memref.copy %[[INIT]], %[[PLACE]]
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[PLACE]])
// CHECK:           %[[NEW:.*]] = memref.alloc()
// CHECK:           memref.copy %[[NEW]], %[[PLACE]]
// CHECK:           scf.yield %[[PLACE]]
func.func @new_buffer(%init: memref<8xf32>, %n: index) -> memref<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%m = %init) -> (memref<8xf32>) {
    %new = memref.alloc() : memref<8xf32>
    linalg.exp ins(%m : memref<8xf32>) outs(%new : memref<8xf32>)
    scf.yield %new : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// A buffer that stays where it is needs no copy.
// CHECK-LABEL: func.func @same_buffer(
// CHECK-NOT:     memref.copy
func.func @same_buffer(%init: memref<8xf32>, %n: index) -> memref<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%m = %init) -> (memref<8xf32>) {
    linalg.exp ins(%m : memref<8xf32>) outs(%m : memref<8xf32>)
    scf.yield %m : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// Two buffers that change places are kept before either is written.
// CHECK-LABEL: func.func @exchange(
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[PLACE_A:.*]], %[[B:.*]] = %[[PLACE_B:.*]]) ->
// CHECK:           %[[KEPT_B:.*]] = memref.alloc()
// CHECK:           memref.copy %[[B]], %[[KEPT_B]]
// CHECK:           %[[KEPT_A:.*]] = memref.alloc()
// CHECK:           memref.copy %[[A]], %[[KEPT_A]]
// CHECK:           memref.copy %[[KEPT_B]], %[[PLACE_A]]
// CHECK:           memref.copy %[[KEPT_A]], %[[PLACE_B]]
func.func @exchange(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) -> (memref<8xf32>, memref<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %y) -> (memref<8xf32>, memref<8xf32>) {
    scf.yield %b, %a : memref<8xf32>, memref<8xf32>
  }
  return %r#0, %r#1 : memref<8xf32>, memref<8xf32>
}

// The same for a loop that asks whether to go on.
// CHECK-LABEL: func.func @while(
// CHECK:         scf.while (%{{.*}} = %[[PLACE:.*]]) :
// CHECK:         } do {
// CHECK:           %[[NEW:.*]] = memref.alloc()
// CHECK:           memref.copy %[[NEW]], %[[PLACE]]
func.func @while(%init: memref<8xf32>) -> memref<8xf32> {
  %r = scf.while (%m = %init) : (memref<8xf32>) -> memref<8xf32> {
    %zero = arith.constant 0 : index
    %x = memref.load %m[%zero] : memref<8xf32>
    %go = arith.cmpf olt, %x, %x : f32
    scf.condition(%go) %m : memref<8xf32>
  } do {
  ^bb0(%m: memref<8xf32>):
    %new = memref.alloc() : memref<8xf32>
    linalg.exp ins(%m : memref<8xf32>) outs(%new : memref<8xf32>)
    scf.yield %new : memref<8xf32>
  }
  return %r : memref<8xf32>
}
