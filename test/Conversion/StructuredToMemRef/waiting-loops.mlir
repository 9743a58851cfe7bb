// RUN: triton-shared-opt %s --structured-to-memref --split-input-file | FileCheck %s

// A loop that reads atomically may wait for another program: each round that
// did not find what it looks for lets others run.
// CHECK:         func.func private @tritonSharedYield()
// CHECK-LABEL: func.func @lock(
// CHECK:         scf.while
// CHECK:           llvm.cmpxchg
// CHECK:           scf.condition
// CHECK:         } do {
// CHECK-NEXT:      func.call @tritonSharedYield() : () -> ()
// CHECK-NEXT:      scf.yield
func.func @lock(%p: memref<*xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : i64
  scf.while : () -> () {
    %old = tts.atomic_cas acq_rel gpu %zero, %one at %p[%at] : i32, memref<*xi32>, i64
    %taken = arith.cmpi eq, %old, %one : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  return
}

// -----

// So may one that reads what is volatile.
// CHECK-LABEL: func.func @volatile(
// CHECK:         func.call @tritonSharedYield
func.func @volatile(%p: memref<*xi32>) {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  scf.while : () -> () {
    %x = tts.load %p[%at] strides [] {is_volatile} : memref<*xi32> -> i32
    %goes_on = arith.cmpi eq, %x, %zero : i32
    scf.condition(%goes_on)
  } do {
    scf.yield
  }
  return
}

// -----

// Polling is such a loop.
// CHECK-LABEL: func.func @poll(
// CHECK:         scf.while
// CHECK:         func.call @tritonSharedYield
func.func @poll(%p: memref<*xi32>, %v: i32) -> i1 {
  %at = arith.constant 0 : i64
  %b = tts.atomic_poll acquire gpu %v at %p[%at] : i32, memref<*xi32>
  return %b : i1
}

// -----

// A poll is a loop of its own, which asks the runtime: the loop around it need not.
// CHECK-LABEL: func.func @poll_in_loop(
// CHECK:         scf.while
// CHECK:           scf.condition
// CHECK-NEXT:    } do {
// CHECK-NOT:       tritonSharedYield
// CHECK:           scf.while
// CHECK:             func.call @tritonSharedYield
// CHECK-NOT:       tritonSharedYield
// CHECK:         return
func.func @poll_in_loop(%p: memref<*xi32>, %o: i64, %x: i32, %n: i32) {
  %c1 = arith.constant 1 : i32
  %r = scf.while (%i = %x) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %is_there = tts.atomic_poll acquire gpu %i at %p[%o] : i32, memref<*xi32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// -----

// What reads memory as it stands waits for nobody, nor does a counted loop.
// CHECK-LABEL: func.func @search(
// CHECK-NOT:     tritonSharedYield
func.func @search(%p: memref<*xi32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : i64
  scf.for %i = %zero to %n step %one : i32 {
    %old = tts.atomic_rmw add acq_rel gpu %one at %p[%at] : i32, memref<*xi32>, i64
  }
  scf.while : () -> () {
    %x = tts.load %p[%at] strides [] : memref<*xi32> -> i32
    %goes_on = arith.cmpi eq, %x, %zero : i32
    scf.condition(%goes_on)
  } do {
    scf.yield
  }
  return
}
