// Elements whose offsets are a tile, but whose neighbours lie side by side: a thread holds as many as one access moves.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// Rows that a tile of two dimensions picks, each of 32 halves that begin at a multiple of 16 bytes.
// CHECK: #[[LAYOUT:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 0, 4]
// CHECK-LABEL: func.func @picked_rows(
// CHECK: tts.gather {{.*}} -> tensor<4x8x32xf16, #[[LAYOUT]]>
func.func @picked_rows(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %rows: memref<*xi64>, %o: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %width = arith.constant 32 : i64
  %row = tts.load %rows[%zero] strides [8, 1] : memref<*xi64> -> tensor<4x8xi64>
  %picked = cta.reshape %row : tensor<4x8xi64> -> tensor<4x8x1xi64>
  %widths = cta.splat %width : tensor<4x8x1xi64>
  %begins = arith.muli %picked, %widths : tensor<4x8x1xi64>
  %all = cta.broadcast %begins : tensor<4x8x1xi64> -> tensor<4x8x32xi64>
  %at = cta.iota 0 : tensor<32xindex>
  %column = arith.index_cast %at : tensor<32xindex> to tensor<32xi64>
  %flat = cta.reshape %column : tensor<32xi64> -> tensor<1x1x32xi64>
  %columns = cta.broadcast %flat : tensor<1x1x32xi64> -> tensor<4x8x32xi64>
  %offsets = arith.addi %all, %columns : tensor<4x8x32xi64>
  %v = tts.gather %x[%offsets] : memref<*xf16>, tensor<4x8x32xi64> -> tensor<4x8x32xf16>
  %sums = cta.reduce %v axis 2 : (tensor<4x8x32xf16>) -> tensor<4x8xf16> {
  ^bb0(%l: f16, %r: f16):
    %sum = arith.addf %l, %r : f16
    cta.yield %sum : f16
  }
  tts.store %sums to %o[%zero] strides [8, 1] : tensor<4x8xf16>, memref<*xf16>
  return
}
