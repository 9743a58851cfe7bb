// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// Tensors and scalars are printed as they are.
// CHECK-LABEL: func.func public @print(
// CHECK:         tts.print " v: " {hex = true, is_signed = array<i32: 0, 1>} : %{{.*}}, %{{.*}} : tensor<8xf32>, i32
// CHECK:         tts.print "here" {hex = false, is_signed = array<i32>}
tt.func public @print(%x: tensor<8xf32>, %i: i32) {
  tt.print " v: " {hex = true, isSigned = array<i32: 0, 1>} : %x, %i : tensor<8xf32>, i32
  tt.print "here" {hex = false, isSigned = array<i32>}
  tt.return
}

// -----

// A pointer is printed as its address.
// CHECK-LABEL: func.func public @print_pointer(
// CHECK:         %[[ADDRESS:.*]] = tts.to_address
// CHECK:         tts.print "p" {hex = true, is_signed = array<i32: 2>} : %[[ADDRESS]] : i64
tt.func public @print_pointer(%p: !tt.ptr<f32>) {
  tt.print "p" {hex = true, isSigned = array<i32: 0>} : %p : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: func.func public @assert(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<8xi1>
// CHECK:         tts.assert %[[C]], "in range" : tensor<8xi1>
tt.func public @assert(%c: tensor<8xi1>) {
  tt.assert %c, "in range" : tensor<8xi1>
  tt.return
}

// -----

// Any other integer is true if it is not 0.
// CHECK-LABEL: func.func public @assert_integer(
// CHECK:         %[[C:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK:         tts.assert %[[C]], "not 0" : i1
tt.func public @assert_integer(%i: i32) {
  tt.assert %i, "not 0" : i32
  tt.return
}
