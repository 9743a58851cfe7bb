// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// Tensors and scalars are printed as they are.
// CHECK-LABEL: func.func @print(
// CHECK:         tts.print " v: " {hex = true, is_signed = array<i32: 0, 1>} : %{{.*}}, %{{.*}} : tensor<8xf32>, i32
// CHECK:         tts.print "here" {hex = false, is_signed = array<i32>}
tt.func public @print(%x: tensor<8xf32>, %i: i32) {
  tt.print " v: " {hex = true, isSigned = array<i32: 0, 1>} : %x, %i : tensor<8xf32>, i32
  tt.print "here" {hex = false, isSigned = array<i32>}
  tt.return
}

// -----

// Floats of 8 bits are printed as the f32 that they are, or as their bits.
// CHECK-LABEL: func.func @print_small(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf8E5M2>
// CHECK:         %[[WIDE:.*]] = linalg.generic
// CHECK:           arith.extf %{{.*}} : f8E5M2 to f32
// CHECK:         tts.print "x" {hex = false, is_signed = array<i32: 0>} : %[[WIDE]] : tensor<8xf32>
// CHECK:         tts.print "x" {hex = true, is_signed = array<i32: 0>} : %[[X]] : tensor<8xf8E5M2>
tt.func public @print_small(%x: tensor<8xf8E5M2>) {
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<8xf8E5M2>
  tt.print "x" {hex = true, isSigned = array<i32: 0>} : %x : tensor<8xf8E5M2>
  tt.return
}

// -----

// A pointer is printed as its address.
// CHECK-LABEL: func.func @print_pointer(
// CHECK:         %[[ADDRESS:.*]] = tts.to_address
// CHECK:         tts.print "p" {hex = true, is_signed = array<i32: 2>} : %[[ADDRESS]] : i64
tt.func public @print_pointer(%p: !tt.ptr<f32>) {
  tt.print "p" {hex = true, isSigned = array<i32: 0>} : %p : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: func.func @assert(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<8xi1>
// CHECK:         tts.assert %[[C]], "in range" : tensor<8xi1>
tt.func public @assert(%c: tensor<8xi1>) {
  tt.assert %c, "in range" : tensor<8xi1>
  tt.return
}

// -----

// Any other integer is true if it is not 0.
// CHECK-LABEL: func.func @assert_integer(
// CHECK:         %[[C:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK:         tts.assert %[[C]], "not 0" : i1
tt.func public @assert_integer(%i: i32) {
  tt.assert %i, "not 0" : i32
  tt.return
}
