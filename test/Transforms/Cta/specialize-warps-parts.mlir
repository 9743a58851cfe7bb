// A result of 64 KB leaves room for three slots of 48 KB; if it goes through a ring of 32 KB, for four.
// RUN: triton-shared-opt %s --cta-specialize-warps=num-stages=4 | FileCheck %s
// RUN: triton-shared-opt %s --cta-specialize-warps=num-stages=3 | FileCheck %s --check-prefix=THREE

#sums = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]]>
#b = #cta.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32], [0, 64], [0, 128]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8], [0, 16]]>
#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[1, 0], [2, 0], [4, 0]]>

// CHECK-LABEL: func.func @tiles(
// CHECK: cta.alloc {alignment = 1024 : i64} : <4, 128x64xf16
// CHECK: cta.specialize
// CHECK: tts.store {{.*}} {cta.in_parts}
// THREE-LABEL: func.func @tiles(
// THREE: cta.alloc {alignment = 1024 : i64} : <3, 128x64xf16
// THREE: cta.specialize
// THREE-NOT: cta.in_parts
func.func @tiles(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16> {tt.divisibility = 16 : i32}, %tiles: i32, %turns: i32, %rows: i64, %columns: i64, %depth: i64, %stride: i64 {tt.divisibility = 8 : i32}, %first: i32 {tts.parameter = "program.x"}, %step: i32 {tts.parameter = "grid.x"})
    attributes {cta.num_warps = 8 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %none = arith.constant 0 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<128x256xf32, #sums>
  scf.for %tile = %first to %tiles step %step : i32 {
    %row32 = arith.muli %tile, %c128 : i32
    %column32 = arith.muli %tile, %c256 : i32
    %row = arith.extsi %row32 : i32 to i64
    %column = arith.extsi %column32 : i32 to i64
    %row_low = arith.subi %none, %row : i64
    %row_high = arith.subi %rows, %row : i64
    %column_low = arith.subi %none, %column : i64
    %column_high = arith.subi %columns, %column : i64
    %row_at = arith.muli %row, %stride : i64
    %column_at = arith.muli %column, %stride : i64
    %r = scf.for %t = %zero to %turns step %one iter_args(%sum = %sums) -> (tensor<128x256xf32, #sums>) : i32 {
      %k32 = arith.muli %t, %c64 : i32
      %k = arith.extsi %k32 : i32 to i64
      %k_low = arith.subi %none, %k : i64
      %k_high = arith.subi %depth, %k : i64
      %a_at = arith.addi %row_at, %k : i64
      %b_at = arith.addi %column_at, %k : i64
      %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %k_low) to(%row_high, %k_high) other %fill : f16 : memref<*xf16> -> tensor<128x64xf16, #a>
      %b = tts.load %y[%b_at] strides [1, %stride] bounds [0, 1] from(%k_low, %column_low) to(%k_high, %column_high) other %fill : f16 : memref<*xf16> -> tensor<64x256xf16, #b>
      %d = cta.dot %a, %b, %sum : tensor<128x64xf16, #a>, tensor<64x256xf16, #b> -> tensor<128x256xf32, #sums> by #cta.wgmma<m64n256k16>
      scf.yield %d : tensor<128x256xf32, #sums>
    }
    %half = arith.truncf %r : tensor<128x256xf32, #sums> to tensor<128x256xf16, #sums>
    %moved = cta.convert_layout %half : tensor<128x256xf16, #sums> -> tensor<128x256xf16, #rows>
    %at = arith.addi %row_at, %column : i64
    tts.store %moved to %o[%at] strides [%stride, 1] bounds [0, 1] from(%row_low, %column_low) to(%row_high, %column_high) : tensor<128x256xf16, #rows>, memref<*xf16>
  }
  return
}
