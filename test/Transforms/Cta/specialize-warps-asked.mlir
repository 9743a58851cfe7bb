// A loop with nothing around gets a warp that copies for it only where somebody asks for one.
// RUN: triton-shared-opt %s --cta-specialize-warps --canonicalize --cse | FileCheck %s
// RUN: triton-shared-opt %s --cta-specialize-warps=always=true --canonicalize --cse | FileCheck %s --check-prefixes=ALWAYS

#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>

// Nothing is between the loops of a program that has but one, and it gains nothing: only who asks for it gets it.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT: cta.specialize
// CHECK: return
// ALWAYS-LABEL: func.func @plain(
// ALWAYS: cta.specialize
func.func @plain(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant 0 : i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
    %row32 = arith.muli %px, %c64 : i32
    %row = arith.extsi %row32 : i32 to i64
    %row_low = arith.subi %none, %row : i64
    %row_high = arith.subi %rows, %row : i64
    %row_at = arith.muli %row, %stride : i64
    %r = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
      %at32 = arith.muli %t, %c32 : i32
      %at = arith.extsi %at32 : i32 to i64
      %low = arith.subi %none, %at : i64
      %high = arith.subi %depth, %at : i64
      %a_at = arith.addi %row_at, %at : i64
      %b_at = arith.muli %at, %stride : i64
      %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
      %b = tts.load %y[%b_at] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
      %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
      scf.yield %d : tensor<64x32xf32, #c>
    }
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  return
}

// The kernel asks for it.
// CHECK-LABEL: func.func @asked(
// CHECK: cta.specialize
func.func @asked(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant 0 : i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
    %row32 = arith.muli %px, %c64 : i32
    %row = arith.extsi %row32 : i32 to i64
    %row_low = arith.subi %none, %row : i64
    %row_high = arith.subi %rows, %row : i64
    %row_at = arith.muli %row, %stride : i64
    %r = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
      %at32 = arith.muli %t, %c32 : i32
      %at = arith.extsi %at32 : i32 to i64
      %low = arith.subi %none, %at : i64
      %high = arith.subi %depth, %at : i64
      %a_at = arith.addi %row_at, %at : i64
      %b_at = arith.muli %at, %stride : i64
      %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
      %b = tts.load %y[%b_at] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
      %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
      scf.yield %d : tensor<64x32xf32, #c>
    } {tt.warp_specialize}
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  return
}

// No copy engine.
// CHECK-LABEL: func.func @of_older_gpu(
// CHECK-NOT: cta.specialize
// CHECK: return
// ALWAYS-LABEL: func.func @of_older_gpu(
// ALWAYS-NOT: cta.specialize
// ALWAYS: return
func.func @of_older_gpu(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant 0 : i64
  %rows = arith.extsi %m : i32 to i64
  %depth = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  scf.for %tile = %px to %n step %one : i32 {
    %row32 = arith.muli %tile, %c64 : i32
    %row = arith.extsi %row32 : i32 to i64
    %row_low = arith.subi %none, %row : i64
    %row_high = arith.subi %rows, %row : i64
    %row_at = arith.muli %row, %stride : i64
    %r = scf.for %t = %zero to %k step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
      %at32 = arith.muli %t, %c32 : i32
      %at = arith.extsi %at32 : i32 to i64
      %low = arith.subi %none, %at : i64
      %high = arith.subi %depth, %at : i64
      %a_at = arith.addi %row_at, %at : i64
      %b_at = arith.muli %at, %stride : i64
      %a = tts.load %x[%a_at] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
      %b = tts.load %y[%b_at] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %rows) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
      %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
      scf.yield %d : tensor<64x32xf32, #c>
    }
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  }
  return
}
