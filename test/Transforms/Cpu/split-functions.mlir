// RUN: triton-shared-opt %s --cpu-split-functions="most=6 piece=3" | FileCheck %s

// Pieces are called in order. Constants and views are made again in each of
// them; what one leaves to the next is a result.
// CHECK-LABEL: func.func @long(
// CHECK-SAME:    %[[N:.*]]: i32, %[[AREA:.*]]: !llvm.ptr {llvm.noalias})
// CHECK:         %[[SUM:.*]] = call @long.piece0(%[[N]]) : (i32) -> i32
// CHECK:         call @long.piece1(%[[SUM]], %[[AREA]]) : (i32, !llvm.ptr) -> ()
// CHECK:         return
func.func @long(%n: i32, %area: !llvm.ptr {llvm.noalias}) {
  %c1 = arith.constant 1 : i32
  %a = arith.addi %n, %c1 : i32
  %b = arith.muli %a, %a : i32
  %view = llvm.getelementptr %area[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %c = arith.addi %b, %c1 : i32
  llvm.store %c, %view : i32, !llvm.ptr
  return
}

// The area is still nobody else's; LLVM may not put the piece back.
// CHECK-LABEL: func.func private @long.piece1(
// CHECK-SAME:    %[[SUM:.*]]: i32, %[[AREA:.*]]: !llvm.ptr {llvm.noalias})
// CHECK-SAME:    passthrough = ["noinline"]
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1
// CHECK-DAG:     %[[VIEW:.*]] = llvm.getelementptr %[[AREA]][64]
// CHECK-DAG:     %[[C:.*]] = arith.addi %[[SUM]], %[[C1]]
// CHECK:         llvm.store %[[C]], %[[VIEW]]

// Where a piece also gets memory of unknown origin, the area may be that.
// CHECK-LABEL: func.func @unknown(
// CHECK:         call @unknown.piece1(
// CHECK:       func.func private @unknown.piece1(
// CHECK-NOT:     llvm.noalias
func.func @unknown(%place: !llvm.ptr, %area: !llvm.ptr {llvm.noalias}) {
  %0 = llvm.load %place : !llvm.ptr -> i32
  %1 = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.store %0, %place : i32, !llvm.ptr
  %2 = llvm.load %1 : !llvm.ptr -> i32
  llvm.store %2, %area : i32, !llvm.ptr
  llvm.store %0, %1 : i32, !llvm.ptr
  return
}

// A variable lives as long as its kernel: it moves into a piece only if nobody
// else knows it, not even by a view.
// CHECK-LABEL: func.func @variables(
// CHECK:         %[[SHARED:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         call @variables.piece0(%{{.*}}, %[[SHARED]]
// CHECK:         call @variables.piece1(
// CHECK:       func.func private @variables.piece1(
// CHECK:         memref.alloca() : memref<8xf32>
func.func @variables(%x: f32, %i: index) {
  %shared = memref.alloca() : memref<4xf32>
  %own = memref.alloca() : memref<8xf32>
  memref.store %x, %shared[%i] : memref<4xf32>
  %0 = memref.load %shared[%i] : memref<4xf32>
  memref.store %0, %own[%i] : memref<8xf32>
  %1 = memref.load %own[%i] : memref<8xf32>
  memref.store %1, %shared[%i] : memref<4xf32>
  return
}

// What a branch hands on as its result lives on as well, and so does what is
// known by its address.
// CHECK-LABEL: func.func @handed_on(
// CHECK:         %[[LEFT:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[RIGHT:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[ONE:.*]] = call @handed_on.piece1(%{{.*}}, %[[LEFT]], %{{.*}}, %[[RIGHT]], %{{.*}}) :
// CHECK-SAME:      -> memref<4xf32>
// CHECK:         call @handed_on.piece2(%[[ONE]], %{{.*}}
func.func @handed_on(%take: i1, %x: f32, %i: index) -> f32 {
  %left = memref.alloca() : memref<4xf32>
  %right = memref.alloca() : memref<4xf32>
  %one = scf.if %take -> memref<4xf32> {
    memref.store %x, %left[%i] : memref<4xf32>
    scf.yield %left : memref<4xf32>
  } else {
    memref.store %x, %right[%i] : memref<4xf32>
    scf.yield %right : memref<4xf32>
  }
  %0 = memref.load %one[%i] : memref<4xf32>
  %1 = arith.addf %0, %x : f32
  return %1 : f32
}

// CHECK-LABEL: func.func @address(
// CHECK:         %[[VARIABLE:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[START:.*]] = call @address.piece0(%{{.*}}, %[[VARIABLE]]
// CHECK:         call @address.piece1(%[[START]]
func.func @address(%x: f32, %i: index) -> index {
  %variable = memref.alloca() : memref<4xf32>
  memref.store %x, %variable[%i] : memref<4xf32>
  %start = memref.extract_aligned_pointer_as_index %variable : memref<4xf32> -> index
  %0 = arith.addi %start, %i : index
  %1 = arith.addi %0, %i : index
  %2 = arith.addi %1, %i : index
  %3 = arith.addi %2, %i : index
  return %3 : index
}

// The body of a loop is split like that of a function, before what is around it.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for
// CHECK-NEXT:      func.call @loop.piece0(
// CHECK-NEXT:      func.call @loop.piece1(
// CHECK-NEXT:    }
func.func @loop(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %m[%i] : memref<?xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.addf %1, %0 : f32
    %3 = arith.addf %2, %0 : f32
    %4 = arith.addf %3, %0 : f32
    memref.store %4, %m[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @short(
// CHECK-NOT:     call
func.func @short(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  return %0 : i32
}
