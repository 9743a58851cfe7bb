// Programs that stay as they are: what a warp of its own would need is more than scalars.
// RUN: triton-shared-opt %s --cta-specialize-warps=always=true --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>

// Where a block begins is read from memory.
// CHECK-LABEL: func.func @listed(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @listed(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %list: memref<*xi32>, %px: i32 {tts.parameter = "program.x"})
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
  scf.for %tile = %px to %n step %one : i32 {
    %number = arith.extsi %tile : i32 to i64
    %row32 = tts.load %list[%number] strides [] : memref<*xi32> -> i32
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

// How many turns there are is computed from a tile.
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @computed(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %list: memref<*xi32>, %px: i32 {tts.parameter = "program.x"})
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
  scf.for %tile = %px to %n step %one : i32 {
    %row32 = arith.muli %tile, %c64 : i32
    %row = arith.extsi %row32 : i32 to i64
    %row_low = arith.subi %none, %row : i64
    %row_high = arith.subi %rows, %row : i64
    %row_at = arith.muli %row, %stride : i64
    %ones = tts.load %list[%row] strides [1] : memref<*xi32> -> tensor<64xi32, #row>
    %at0 = arith.constant 0 : index
    %count = cta.extract %ones[%at0] : tensor<64xi32, #row>
    %r = scf.for %t = %zero to %count step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
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

// One operand has no bounds: threads copy it.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @copied(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
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
      %b = tts.load %y[%b_at] strides [%stride, 1] : memref<*xf16> -> tensor<32x32xf16, #b>
      %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
      scf.yield %d : tensor<64x32xf32, #c>
    }
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  }
  return
}

// Threads read an operand, too: the barriers of slots count products alone.
// CHECK-LABEL: func.func @read_by_threads(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @read_by_threads(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %left: memref<*xf16>, %px: i32 {tts.parameter = "program.x"})
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
      tts.store %a to %left[%at] strides [32, 1] : tensor<64x32xf16, #a>, memref<*xf16>
      scf.yield %d : tensor<64x32xf32, #c>
    }
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  }
  return
}

// Others say when they have written what is read: nothing is read before.
// CHECK-LABEL: func.func @told(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @told(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %flag: memref<*xi32>, %px: i32 {tts.parameter = "program.x"})
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
  %told = tts.atomic_poll acquire gpu %one at %flag[%none] : i32, memref<*xi32>
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

// The kernel asks how many threads it has.
// CHECK-LABEL: func.func @counts_threads(
// CHECK-NOT: cta.specialize
// CHECK: return
func.func @counts_threads(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
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
  %threads = tts.read_machine ntid.x : i32
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
