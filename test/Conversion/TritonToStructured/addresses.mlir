// RUN: triton-shared-opt %s --triton-pointers-to-structured --canonicalize | FileCheck %s

// The address of a pointer is that of its base, and its offset in bytes.
// CHECK-LABEL: tt.func @to_integer(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[O:.*]]: i64)
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-DAG:     %[[START:.*]] = tts.to_address %[[P]]
// CHECK-DAG:     %[[BYTES:.*]] = arith.shli %[[O]], %[[TWO]]
// CHECK:         %[[A:.*]] = arith.addi %[[START]], %[[BYTES]]
// CHECK:         tt.return %[[A]]
tt.func @to_integer(%p: !tt.ptr<f32>, %o: i64) -> i64 {
  %a = tt.addptr %p, %o : !tt.ptr<f32>, i64
  %i = tt.ptr_to_int %a : !tt.ptr<f32> -> i64
  tt.return %i : i64
}

// A scalar pointer made of an integer is a base, at this address.
// CHECK-LABEL: tt.func @from_integer(
// CHECK-SAME:    %[[A:.*]]: i64, %[[I:.*]]: i64)
// CHECK-DAG:     %[[B:.*]] = tts.from_address %[[A]] : !tt.ptr<f32>
// CHECK:         tts.load %[[B]][%[[I]]] strides []
tt.func @from_integer(%a: i64, %i: i64) -> f32 {
  %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %v = tt.load %q : !tt.ptr<f32>
  tt.return %v : f32
}

// A block of them counts from address zero, in bytes; that these are aligned is taken for
// granted where an access needs elements.
// CHECK-LABEL: tt.func @block_from_integers(
// CHECK-SAME:    %[[A:.*]]: tensor<8xi64>)
// CHECK-DAG:     %[[ZERO:.*]] = tts.from_address %{{.*}} : !tt.ptr<f32>
// CHECK-DAG:     %[[O:.*]] = arith.shrsi %[[A]], %{{.*}}
// CHECK:         %[[V:.*]] = tts.gather %[[ZERO]][%[[O]]]
// CHECK:         tt.return %[[V]], %[[A]]
tt.func @block_from_integers(%a: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>) {
  %p = tt.int_to_ptr %a : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  %v = tt.load %p : tensor<8x!tt.ptr<f32>>
  %i = tt.ptr_to_int %p : tensor<8x!tt.ptr<f32>> -> tensor<8xi64>
  tt.return %v, %i : tensor<8xf32>, tensor<8xi64>
}

// What is chosen from pointers at any address counts bytes, too.
// CHECK-LABEL: tt.func @chosen(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[A:.*]]: i64, %[[C:.*]]: i1, %[[I:.*]]: i64)
// CHECK-DAG:     %[[START:.*]] = tts.to_address %[[P]]
// CHECK-DAG:     %[[ANY:.*]] = arith.select %[[C]], %[[START]], %[[A]]
// CHECK-DAG:     %[[BYTES:.*]] = arith.shli %[[I]], %c2
// CHECK:         %[[B:.*]] = arith.addi %[[ANY]], %[[BYTES]]
// CHECK:         %[[BASE:.*]] = tts.from_address %[[B]] : !tt.ptr<i32>
// CHECK:         %[[V:.*]] = tts.load %[[BASE]][%c0{{.*}}] strides []
// CHECK:         tt.return %[[V]], %[[B]]
tt.func @chosen(%p: !tt.ptr<i32>, %a: i64, %c: i1, %i: i64) -> (i32, i64) {
  %q = tt.int_to_ptr %a : i64 -> !tt.ptr<i32>
  %r = arith.select %c, %p, %q : !tt.ptr<i32>
  %s = tt.addptr %r, %i : !tt.ptr<i32>, i64
  %v = tt.load %s : !tt.ptr<i32>
  %b = tt.ptr_to_int %s : !tt.ptr<i32> -> i64
  tt.return %v, %b : i32, i64
}

// What starts within a region and leaves it counts from address zero: its start is not known outside.
// CHECK-LABEL: tt.func @leaves_a_region(
// CHECK:         %[[A:.*]] = scf.execute_region -> i64
// CHECK:           %[[X:.*]] = tts.load
// CHECK:           scf.yield %[[X]]
// CHECK:         tts.from_address %[[A]]
tt.func @leaves_a_region(%t: !tt.ptr<!tt.ptr<f32>>) -> f32 {
  %p = scf.execute_region -> !tt.ptr<f32> no_inline {
    %q = tt.load %t : !tt.ptr<!tt.ptr<f32>>
    scf.yield %q : !tt.ptr<f32>
  }
  %v = tt.load %p : !tt.ptr<f32>
  tt.return %v : f32
}

// A carried pointer that counts bytes from address zero is its own address.
// CHECK-LABEL: tt.func @carried_address(
// CHECK:         %[[R:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK:         %[[D:.*]] = arith.addi %[[R]], %[[R]]
// CHECK:         tt.return %[[D]]
tt.func @carried_address(%p: !tt.ptr<i8>, %q: !tt.ptr<i8>, %c: i1) -> i64 {
  %r = scf.if %c -> !tt.ptr<i8> {
    scf.yield %p : !tt.ptr<i8>
  } else {
    scf.yield %q : !tt.ptr<i8>
  }
  %a = tt.ptr_to_int %r : !tt.ptr<i8> -> i64
  %b = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %e = tt.ptr_to_int %b : !tt.ptr<f32> -> i64
  %d = arith.addi %a, %e : i64
  tt.return %d : i64
}

// Prints and assembly take addresses as numbers; a print knows that it is one.
// CHECK-LABEL: tt.func @as_numbers(
// CHECK:         %[[ADDRESS:.*]] = {{.*}} : i64
// CHECK:         tt.print " p: " {hex = false, isSigned = array<i32: 2>} : %{{.*}} : i64
// CHECK:         tt.elementwise_inline_asm {{.*}} : i64 -> i32
tt.func @as_numbers(%p: !tt.ptr<i32>, %i: i32) {
  %0 = tt.addptr %p, %i : !tt.ptr<i32>, i32
  tt.print " p: " {hex = false, isSigned = array<i32: 0>} : %0 : !tt.ptr<i32>
  %1 = tt.elementwise_inline_asm "ld.global.b32 $0, [$1];" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %0 : !tt.ptr<i32> -> i32
  tt.return
}

// Accesses that are `tts` already start at a pointer that was computed: whatever they are, their base and offset change.
// CHECK-LABEL: tt.func @structured_already(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i32>, %[[N:.*]]: i64, %[[O:.*]]: tensor<4xi64>, %[[X:.*]]: i32)
// CHECK:         %[[STEP:.*]] = tt.splat %[[N]]
// CHECK:         %[[OFFSETS:.*]] = arith.addi %[[STEP]], %[[O]]
// CHECK:         %[[V:.*]] = tts.gather %[[P]][%[[OFFSETS]]]
// CHECK:         tts.scatter %[[V]] to %[[P]][%{{.*}}]
// CHECK:         tts.atomic_cas acquire gpu %[[X]], %[[X]] at %[[P]][%[[N]]]
// CHECK:         tts.atomic_poll acquire gpu %[[X]] at %[[P]][%[[N]]]
tt.func @structured_already(%p: !tt.ptr<i32>, %n: i64, %o: tensor<4xi64>, %x: i32) {
  %zero = arith.constant 0 : i64
  %q = tt.addptr %p, %n : !tt.ptr<i32>, i64
  %v = tts.gather %q[%o] : !tt.ptr<i32>, tensor<4xi64> -> tensor<4xi32>
  tts.scatter %v to %q[%o] : tensor<4xi32>, !tt.ptr<i32>, tensor<4xi64>
  %old = tts.atomic_cas acquire gpu %x, %x at %q[%zero] : i32, !tt.ptr<i32>, i64
  %is_there = tts.atomic_poll acquire gpu %x at %q[%zero] : i32, !tt.ptr<i32>
  tt.return
}
