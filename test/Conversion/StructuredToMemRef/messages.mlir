// RUN: triton-shared-opt %s --structured-to-memref --split-input-file | FileCheck %s

// A print is a line of the runtime for each element.
// CHECK:       llvm.mlir.global internal constant @[[TEXT:.*]](" x: ")
// CHECK-LABEL: func.func @print(
// CHECK-SAME:    %[[X:arg[0-9]+]]: i32, %[[Y:arg[0-9]+]]: i32, %[[Z:arg[0-9]+]]: i32)
// CHECK:         llvm.mlir.addressof @[[TEXT]]
// CHECK:         scf.for
// CHECK:           func.call @tritonSharedPrintBegin(%[[X]], %[[Y]], %[[Z]])
// CHECK:           func.call @tritonSharedPrintIndices()
// CHECK:           func.call @tritonSharedPrintIndex(
// CHECK:           func.call @tritonSharedPrintText(
// CHECK:           arith.extf
// CHECK:           func.call @tritonSharedPrintFloat(
// CHECK:           func.call @tritonSharedPrintEnd()
func.func @print(%v: tensor<4xf32>, %g: i32, %h: i32, %i: i32, %x: i32, %y: i32, %z: i32) {
  tts.print " x: " {hex = false, is_signed = array<i32: 0>} : %v : tensor<4xf32>
  return
}

// -----

// Several operands are numbered; integers keep their sign.
// CHECK-LABEL: func.func @operands(
// CHECK:         arith.extsi %arg0 : i8 to i64
// CHECK:         arith.extui %arg1 : i16 to i64
func.func @operands(%a: i8, %b: i16, %g: i32, %h: i32, %i: i32, %x: i32, %y: i32, %z: i32) {
  tts.print " x: " {hex = false, is_signed = array<i32: 1, 0>} : %a, %b : i8, i16
  return
}

// -----

// An address has as few digits as it can; indices are as wide as the last one.
// CHECK-LABEL: func.func @addresses(
// CHECK:         %[[WIDTH:.*]] = arith.constant 3 : i32
// CHECK:         func.call @tritonSharedPrintIndex(%{{.*}}, %[[WIDTH]])
// CHECK:         %[[DIGITS:.*]] = arith.constant 0 : i32
// CHECK:         %[[SIGNED:.*]] = arith.constant 0 : i32
// CHECK:         %[[HEX:.*]] = arith.constant 1 : i32
// CHECK:         func.call @tritonSharedPrintInteger(%{{.*}}, %[[DIGITS]], %[[SIGNED]], %[[HEX]])
func.func @addresses(%p: tensor<128xi64>, %g: i32, %h: i32, %i: i32, %x: i32, %y: i32, %z: i32) {
  tts.print " p: " {hex = false, is_signed = array<i32: 2>} : %p : tensor<128xi64>
  return
}

// -----

// An assertion calls the runtime for an element that is false, and looks for it only if one is.
// CHECK-LABEL: func.func @assert(
// CHECK:         %[[NUMBERS:.*]] = linalg.map { arith.extsi } ins(%{{.*}} : tensor<4xi1>)
// CHECK:         %[[ALL:.*]] = linalg.reduce ins(%[[NUMBERS]] : tensor<4xi32>) outs(%{{.*}} : tensor<i32>) dimensions = [0]
// CHECK:         %[[BITS:.*]] = tensor.extract %[[ALL]][] : tensor<i32>
// CHECK:         %[[TRUE:.*]] = arith.trunci %[[BITS]] : i32 to i1
// CHECK:         %[[ANY:.*]] = arith.xori %[[TRUE]]
// CHECK:         scf.if %[[ANY]] {
// CHECK:         scf.for
// CHECK:           %[[HOLDS:.*]] = tensor.extract
// CHECK:           %[[FAILS:.*]] = arith.xori %[[HOLDS]]
// CHECK:           scf.if %[[FAILS]] {
// CHECK-NEXT:        func.call @tritonSharedAssertFailed(
func.func @assert(%c: tensor<4xi1>, %g: i32, %h: i32, %i: i32, %x: i32, %y: i32, %z: i32) {
  tts.assert %c, "must hold" : tensor<4xi1>
  return
}
