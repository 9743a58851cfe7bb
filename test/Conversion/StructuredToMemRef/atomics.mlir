// RUN: triton-shared-opt %s --structured-to-memref --split-input-file | FileCheck %s

// One update after the other, old values collected; masked ones do nothing.
// CHECK-LABEL: func.func @add(
// CHECK:         %[[OLD:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         linalg.fill
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.if
// CHECK:             %[[V:.*]] = tensor.extract %arg1[%[[I]]]
// CHECK:             %[[BEFORE:.*]] = memref.atomic_rmw addf %[[V]]
// CHECK:             memref.store %[[BEFORE]], %[[OLD]][%[[I]]]
func.func @add(%p: memref<*xf32>, %v: tensor<8xf32>, %o: tensor<8xi64>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %t = tts.atomic_rmw fadd acq_rel gpu %v at %p[%o] mask %m : tensor<8xi1>
         : tensor<8xf32>, memref<*xf32>, tensor<8xi64>
  return %t : tensor<8xf32>
}

// -----

// Nobody asks for the old values: no buffer.
// CHECK-LABEL: func.func @unused(
// CHECK-NOT:     memref.alloc
// CHECK:         memref.atomic_rmw maxs
func.func @unused(%p: memref<*xi32>, %v: tensor<8xi32>, %o: tensor<8xi64>) {
  %t = tts.atomic_rmw max relaxed gpu %v at %p[%o] : tensor<8xi32>, memref<*xi32>, tensor<8xi64>
  return
}

// -----

// A masked scalar update lies behind a branch.
// CHECK-LABEL: func.func @masked_scalar(
// CHECK:         scf.if %arg2 -> (i32) {
// CHECK:           memref.atomic_rmw assign
// CHECK:         } else {
func.func @masked_scalar(%p: memref<*xi32>, %v: i32, %m: i1) -> i32 {
  %zero = arith.constant 0 : i64
  %t = tts.atomic_rmw exchange acquire gpu %v at %p[%zero] mask %m : i1 : i32, memref<*xi32>, i64
  return %t : i32
}

// -----

// Counting with wrap-around is LLVM's.
// CHECK-LABEL: func.func @count(
// CHECK:         llvm.atomicrmw uinc_wrap %{{.*}}, %arg1 acq_rel
// CHECK:         llvm.atomicrmw udec_wrap %{{.*}}, %arg1 acq_rel
func.func @count(%p: memref<*xi32>, %v: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i64
  %a = tts.atomic_rmw increment relaxed gpu %v at %p[%zero] : i32, memref<*xi32>, i64
  %b = tts.atomic_rmw decrement relaxed gpu %v at %p[%zero] : i32, memref<*xi32>, i64
  return %a, %b : i32, i32
}

// -----

// Floats are compared bit for bit.
// CHECK-LABEL: func.func @compare_and_swap(
// CHECK:         %[[COMPARE:.*]] = arith.bitcast %arg1 : f32 to i32
// CHECK:         %[[VALUE:.*]] = arith.bitcast %arg2 : f32 to i32
// CHECK:         %[[BOTH:.*]] = llvm.cmpxchg %{{.*}}, %[[COMPARE]], %[[VALUE]] acq_rel acquire
// CHECK:         %[[OLD:.*]] = llvm.extractvalue %[[BOTH]][0]
// CHECK:         arith.bitcast %[[OLD]] : i32 to f32
func.func @compare_and_swap(%p: memref<*xf32>, %c: f32, %v: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %t = tts.atomic_cas acq_rel gpu %c, %v at %p[%zero] : f32, memref<*xf32>, i64
  return %t : f32
}

// -----

// Polling reads until the value is there, or the clock says stop.
// CHECK-LABEL: func.func @poll(
// CHECK:         %[[START:.*]] = call @tritonSharedClockNanoseconds()
// CHECK:         scf.while : () -> i1 {
// CHECK:           %[[BITS:.*]] = llvm.load volatile %{{.*}} atomic acquire
// CHECK:           %[[THERE:.*]] = arith.cmpi eq, %[[BITS]], %arg1
// CHECK:           %[[NOW:.*]] = func.call @tritonSharedClockNanoseconds()
// CHECK:           %[[PASSED:.*]] = arith.subi %[[NOW]], %[[START]]
// CHECK:           arith.cmpi uge, %[[PASSED]], %arg2
// CHECK:           scf.condition(%{{.*}}) %[[THERE]]
func.func @poll(%p: memref<*xi32>, %v: i32, %t: i64) -> i1 {
  %zero = arith.constant 0 : i64
  %b = tts.atomic_poll acquire gpu %v at %p[%zero] timeout %t : i32, memref<*xi32>
  return %b : i1
}

// -----

// Addresses are integers in bytes.
// CHECK-LABEL: func.func @addresses(
// CHECK:         %[[POINTER:.*]] = llvm.inttoptr %arg0 : i64 to !llvm.ptr
// CHECK:         %[[MEMREF:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xf32>
// CHECK:         %[[BASE:.*]] = memref.cast %[[MEMREF]] : memref<1xf32> to memref<*xf32>
// CHECK:         memref.extract_aligned_pointer_as_index %[[BASE]]
func.func @addresses(%a: i64) -> i64 {
  %p = tts.from_address %a : memref<*xf32>
  %b = tts.to_address %p : memref<*xf32>
  return %b : i64
}
