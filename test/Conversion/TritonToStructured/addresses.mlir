// RUN: triton-shared-opt %s --triton-to-structured --canonicalize | FileCheck %s

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

// A pointer made of an integer starts at address zero; that it is aligned to its
// element is taken for granted.
// CHECK-LABEL: tt.func @from_integer(
// CHECK-SAME:    %[[A:.*]]: i64)
// CHECK-DAG:     %[[O:.*]] = arith.shrsi %[[A]], %{{.*}}
// CHECK-DAG:     %[[B:.*]] = tts.from_address %{{.*}} : !tt.ptr<f32>
// CHECK:         tts.load %[[B]][%[[O]]] strides []
tt.func @from_integer(%a: i64) -> f32 {
  %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %v = tt.load %p : !tt.ptr<f32>
  tt.return %v : f32
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
