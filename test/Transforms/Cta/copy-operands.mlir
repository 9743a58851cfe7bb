// RUN: triton-shared-opt %s --cta-copy-operands --split-input-file | FileCheck %s

// What products take through a whole loop is copied before it.

#q = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#k = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// CHECK-LABEL: func.func @before_the_loop(
// CHECK-SAME: tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1, 32], strides = [arg 2, 1], box = [64, 32], swizzle = 64, outside = zeros>
// CHECK: %[[ARRIVED:.*]] = cta.mbarriers arrivals 1 : <1>
// CHECK: %[[BUFFER:.*]] = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #{{.*}}>
// CHECK: cta.copy_box %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 1] by [64, 32] to %[[BUFFER]]
// CHECK-NOT: tts.load %arg0
// CHECK: cta.wait_mbarrier %[[ARRIVED]]
// CHECK-NEXT: scf.for
// CHECK: %[[READ:.*]] = cta.read %[[BUFFER]]
// CHECK-NEXT: cta.dot %[[READ]],
// CHECK: cta.invalidate %[[ARRIVED]]
// CHECK-NEXT: return
func.func @before_the_loop(%q: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %s: i64 {tt.divisibility = 8 : i32}, %k: memref<*xf16> {tt.divisibility = 16 : i32}, %turns: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %height = arith.constant 64 : i64
  %px64 = arith.extsi %px : i32 to i64
  %row = arith.muli %px64, %height : i64
  %low = arith.subi %none, %row : i64
  %high = arith.subi %m, %row : i64
  %at = arith.muli %row, %s : i64
  %x = tts.load %q[%at] strides [%s, 1] bounds [0, 1] from(%low, %none) to(%high, %width) : memref<*xf16> -> tensor<64x32xf16, #q>
  %r = scf.for %t = %first to %turns step %one iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %place = arith.extsi %t : i32 to i64
    %y = tts.load %k[%place] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #k>
    %d = cta.dot %x, %y, %sum : tensor<64x32xf16, #q>, tensor<32x16xf16, #k> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %r to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// -----

#q = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#k = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// What threads use as well, they load.
// CHECK-LABEL: func.func @stored_as_well(
// CHECK: tts.load %arg0
// CHECK-NOT: cta.copy_box
func.func @stored_as_well(%q: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %s: i64 {tt.divisibility = 8 : i32}, %k: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf32>, %p: memref<*xf16>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %width = arith.constant 32 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %x = tts.load %q[%none] strides [%s, 1] bounds [0, 1] from(%none, %none) to(%m, %width) : memref<*xf16> -> tensor<64x32xf16, #q>
  %y = tts.load %k[%none] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #k>
  %d = cta.dot %x, %y, %sums : tensor<64x32xf16, #q>, tensor<32x16xf16, #k> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  tts.store %x to %p[%none] strides [32, 1] : tensor<64x32xf16, #q>, memref<*xf16>
  tts.store %d to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// -----

#q = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#k = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// The copy engine does not see what this kernel writes.
// CHECK-LABEL: func.func @written(
// CHECK: tts.load %arg0
// CHECK-NOT: cta.copy_box
func.func @written(%q: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i64, %s: i64 {tt.divisibility = 8 : i32}, %k: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %width = arith.constant 32 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %y = tts.load %k[%none] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #k>
  tts.store %y to %q[%none] strides [16, 1] : tensor<32x16xf16, #k>, memref<*xf16>
  %x = tts.load %q[%none] strides [%s, 1] bounds [0, 1] from(%none, %none) to(%m, %width) : memref<*xf16> -> tensor<64x32xf16, #q>
  %d = cta.dot %x, %y, %sums : tensor<64x32xf16, #q>, tensor<32x16xf16, #k> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  tts.store %d to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
