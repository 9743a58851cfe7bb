// RUN: triton-shared-opt %s --cpu-place-buffers | FileCheck %s

// The entry asks for the area, the kernel gets it; buffers that are in use at
// the same time have places of their own.
// CHECK-LABEL: func.func private @both(
// CHECK-SAME:    %[[AREA:.*]]: !llvm.ptr {llvm.noalias, tts.bytes = 128 : i64, tts.parameter = "scratch"})
// CHECK:         %[[X:.*]] = arith.constant 0 : i64
// CHECK:         llvm.getelementptr %[[AREA]][%[[X]]]
// CHECK:         %[[Y:.*]] = arith.constant 64 : i64
// CHECK:         llvm.getelementptr %[[AREA]][%[[Y]]]
// CHECK-LABEL: func.func @both.entry(
// CHECK:         %[[BYTES:.*]] = arith.constant 128 : i64
// CHECK:         %[[MADE:.*]] = call @tritonSharedScratch(%[[BYTES]])
// CHECK:         call @both(%[[MADE]])
func.func private @both() {
  %zero = arith.constant 0 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
func.func @both.entry() {
  call @both() : () -> ()
  return
}

// A buffer that is dead leaves its place to the next one.
// CHECK-LABEL: func.func private @one_after_the_other(
// CHECK-SAME:    tts.bytes = 64 : i64
func.func private @one_after_the_other(%v: f32) {
  %zero = arith.constant 0 : index
  %x = memref.alloc() : memref<8xf32>
  memref.store %v, %x[%zero] : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  memref.store %v, %y[%zero] : memref<8xf32>
  return
}

// A buffer that is used in a loop lives until the loop ends.
// CHECK-LABEL: func.func private @used_in_loop(
// CHECK-SAME:    tts.bytes = 128 : i64
func.func private @used_in_loop(%v: f32, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %i = %zero to %n step %one {
    memref.store %v, %x[%zero] : memref<8xf32>
    %y = memref.alloc() : memref<8xf32>
    memref.store %v, %y[%zero] : memref<8xf32>
  }
  return
}

// It lives on in what a branch yields.
// CHECK-LABEL: func.func private @yielded(
// CHECK-SAME:    tts.bytes = 128 : i64
func.func private @yielded(%v: f32, %c: i1, %z: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %x = memref.alloc() : memref<8xf32>
  %s = scf.if %c -> memref<8xf32> {
    scf.yield %x : memref<8xf32>
  } else {
    scf.yield %z : memref<8xf32>
  }
  %y = memref.alloc() : memref<8xf32>
  memref.copy %y, %s : memref<8xf32> to memref<8xf32>
  return
}

// Places beyond what an index of 29 or of 32 bits can say.
// CHECK-LABEL: func.func private @huge(
// CHECK-SAME:    tts.bytes = 8589934592 : i64
// CHECK:         %[[FIRST:.*]] = arith.constant 0 : i64
// CHECK:         llvm.getelementptr %{{.*}}[%[[FIRST]]]
// CHECK:         %[[SECOND:.*]] = arith.constant 4294967296 : i64
// CHECK:         llvm.getelementptr %{{.*}}[%[[SECOND]]]
func.func private @huge() {
  %x = memref.alloc() : memref<1073741824xf32>
  %y = memref.alloc() : memref<1073741824xf32>
  memref.copy %x, %y : memref<1073741824xf32> to memref<1073741824xf32>
  return
}
