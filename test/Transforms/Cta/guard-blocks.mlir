// Loads through descriptors have a form without bounds for blocks inside of their tensor.
// RUN: triton-shared-opt %s --cta-guard-blocks | FileCheck %s

#l = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

// CHECK-LABEL: func.func @descriptor(
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<*xf16> {{[^,]*}}, %[[LOW:[a-z0-9]+]]: i64, %[[M:[a-z0-9]+]]: i64, %[[N:[a-z0-9]+]]: i64
// CHECK: %[[A:.*]] = arith.cmpi sle, %[[LOW]], %c0_i64
// CHECK: %[[B:.*]] = arith.cmpi sge, %[[M]], %c64_i64
// CHECK: %[[AB:.*]] = arith.andi %[[A]], %[[B]]
// CHECK: arith.cmpi sle, %{{.*}}, %c0_i64
// CHECK: %[[D:.*]] = arith.cmpi sge, %[[N]], %c32_i64
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %[[D]]
// CHECK: %[[RESULT:.*]] = scf.if %[[INSIDE]] -> (tensor<64x32xf16
// CHECK-NEXT: %[[WHOLE:.*]] = tts.load %[[P]][%{{.*}}] strides [%{{.*}}, 1] {tts
// CHECK-NEXT: scf.yield %[[WHOLE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[CUT:.*]] = tts.load %[[P]][%{{.*}}] strides [%{{.*}}, 1] bounds [0, 1]
// CHECK-NEXT: scf.yield %[[CUT]]
// CHECK: return %[[RESULT]]
func.func @descriptor(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %low: i64, %m: i64, %n: i64, %row: i64, %rows: i64) -> tensor<64x32xf16, #l> {
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %stride = arith.muli %rows, %eight : i64
  %at = arith.muli %row, %stride : i64
  %0 = tts.load %p[%at] strides [%stride, 1] bounds [0, 1] from (%low, %zero) to (%m, %n) {tts.through_descriptor} : memref<*xf16> -> tensor<64x32xf16, #l>
  return %0 : tensor<64x32xf16, #l>
}

// Bounds of whole rows keep nobody from loading several elements, and what a kernel's own mask says is its author's choice.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.if
func.func @others(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %n: i64, %row: i64, %rows: i64) -> (tensor<64x32xf16, #l>, tensor<64x32xf16, #l>) {
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %stride = arith.muli %rows, %eight : i64
  %at = arith.muli %row, %stride : i64
  %0 = tts.load %p[%at] strides [%stride, 1] bounds [0] from (%zero) to (%m) {tts.through_descriptor} : memref<*xf16> -> tensor<64x32xf16, #l>
  %1 = tts.load %p[%at] strides [%stride, 1] bounds [1] from (%zero) to (%n) : memref<*xf16> -> tensor<64x32xf16, #l>
  return %0, %1 : tensor<64x32xf16, #l>, tensor<64x32xf16, #l>
}
