// RUN: triton-shared-opt %s --cpu-poll-in-loops --split-input-file | FileCheck %s

// The end is known at run time only. A round is four operations: pieces of
// 2^20 / 4 rounds, with a call before each but the last.
// CHECK:       llvm.func @tritonSharedPoll()
// CHECK-SAME:    memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = readwrite,
// CHECK-SAME:    passthrough = ["cold"]
// CHECK-LABEL: func.func @counted(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: i32)
// CHECK-NOT:     llvm.alloca
// CHECK:         scf.while (%[[I:.*]] = %c0_i32)
// CHECK-NEXT:      %[[GOES_ON:.*]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK-NEXT:      scf.condition(%[[GOES_ON]]) %[[I]]
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[BEGIN:.*]]: i32):
// CHECK-NEXT:      %[[PIECE:.*]] = arith.constant 262144 : i32
// CHECK-NEXT:      %[[DISTANCE:.*]] = arith.subi %[[N]], %[[BEGIN]]
// CHECK-NEXT:      %[[IS_MORE:.*]] = arith.cmpi ugt, %[[DISTANCE]], %[[PIECE]]
// CHECK-NEXT:      scf.if %[[IS_MORE]] {
// CHECK-NEXT:        llvm.call @tritonSharedPoll()
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %[[BEGIN]], %[[PIECE]]
// CHECK-NEXT:      %[[STOP:.*]] = arith.select %[[IS_MORE]], %[[SUM]], %[[N]]
// CHECK-NEXT:      scf.for %{{.*}} = %[[BEGIN]] to %[[STOP]] step %c1_i32
// CHECK-NEXT:        arith.index_cast
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[STOP]]
func.func @counted(%x: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %at = arith.index_cast %i : i32 to index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %x[%at] : memref<?xf32>
  }
  return
}

// -----

// What is carried goes from piece to piece; a fill of 1024 elements counts as
// such; a piece is whole steps, and an unsigned end stays one.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %{{.*}}: memref<1024xf32>, %[[LB:.*]]: index, %[[UB:.*]]: index, %[[INIT:.*]]: f32)
// CHECK:         %[[R:.*]]:2 = scf.while (%[[I:.*]] = %[[LB]], %[[A:.*]] = %[[INIT]])
// CHECK-NEXT:      arith.cmpi ult, %[[I]], %[[UB]]
// CHECK:           arith.cmpi ugt, %{{.*}}, %c16352
// CHECK:           %[[S:.*]] = scf.for unsigned %{{.*}} = %{{.*}} to %[[STOP:.*]] step %c32 iter_args(
// CHECK:           scf.yield %[[STOP]], %[[S]]
// CHECK:         return %[[R]]#1
func.func @carried(%x: memref<1024xf32>, %lb: index, %ub: index, %init: f32) -> f32 {
  %c32 = arith.constant 32 : index
  %r = scf.for unsigned %i = %lb to %ub step %c32 iter_args(%a = %init) -> (f32) {
    linalg.fill ins(%a : f32) outs(%x : memref<1024xf32>)
    scf.yield %a : f32
  }
  return %r : f32
}

// -----

// CHECK-NOT:   tritonSharedPoll
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     scf.while
func.func @short(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}

// -----

// Both loops are short, what they do together is not: the outer one asks.
// CHECK-LABEL: func.func @long_together(
// CHECK:         scf.while
// CHECK:           scf.for
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c4000
func.func @long_together(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4000 = arith.constant 4000 : index
  scf.for %i = %c0 to %c4000 step %c1 {
    scf.for %j = %c0 to %c4000 step %c1 {
      memref.store %v, %x[%j] : memref<?xf32>
    }
  }
  return
}

// -----

// A loop in a loop may be too short to ask, and long enough to matter: it is
// taken for 4096 operations.
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.while
// CHECK:           arith.cmpi ugt, %{{.*}}, %c255
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:               arith.cmpi ugt, %{{.*}}, %c524288
func.func @nested(%x: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %v, %x[%j] : memref<?xf32>
    }
  }
  return
}

// -----

// Steps that are not known, and loops that do not count, count in each round.
// CHECK-LABEL: func.func @step_unknown(
// CHECK:         %[[BUDGET:.*]] = llvm.alloca
// CHECK:         llvm.store %c1048576_i64, %[[BUDGET]]
// CHECK-NOT:     scf.while
// CHECK:         scf.for
// CHECK:           llvm.load
// CHECK:           llvm.call @tritonSharedPoll
// CHECK:           memref.store
func.func @step_unknown(%x: memref<?xf32>, %n: index, %s: index, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %s {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @until(
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           arith.subi %{{.*}}, %c5_i64
// CHECK:           llvm.call @tritonSharedPoll
func.func @until(%x: memref<i32>) {
  scf.while : () -> () {
    %v = memref.load %x[] : memref<i32>
    %c0 = arith.constant 0 : i32
    %go = arith.cmpi ne, %v, %c0 : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  return
}
