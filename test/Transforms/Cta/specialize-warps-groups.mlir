// Products of one turn that read different copies.
// RUN: triton-shared-opt %s --cta-specialize-warps=always=true --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// Each product waits for its own operand, and leaves its slot when it has read it: the copy of the other one may take longer.
// Copies are asked for in the order in which they are needed.
// CHECK-LABEL: func.func @two_products(
// CHECK: cta.specialize producer {
// CHECK: cta.wait_mbarrier %[[EMPTY_K:.*]][%[[SLOT:.*]]] phase
// CHECK-NEXT: cta.copy_box %{{.*}} to %[[K:.*]][%[[SLOT]]] at %[[FULL_K:.*]] if %true
// CHECK-NEXT: cta.wait_mbarrier %[[EMPTY_V:.*]][%[[SLOT]]] phase
// CHECK-NEXT: cta.copy_box %{{.*}} to %[[V:.*]][%[[SLOT]]] at %[[FULL_V:.*]] if %true
// CHECK: } consumers {
// CHECK: cta.wait_mbarrier %[[FULL_K]][%[[AT:.*]]] phase
// CHECK-NEXT: cta.read %[[K]][%[[AT]]]
// CHECK-NEXT: cta.dot
// CHECK-NEXT: cta.arrive %[[EMPTY_K]][%[[AT]]] if %true
// CHECK: cta.wait_mbarrier %[[FULL_V]][%[[AT]]] phase
// CHECK-NEXT: cta.read %[[V]][%[[AT]]]
// CHECK-NEXT: cta.dot
// CHECK-NEXT: cta.arrive %[[EMPTY_V]][%[[AT]]] if %true
func.func @two_products(%q: tensor<64x32xf16, #a>, %x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant 0 : i64
  %width = arith.constant 32 : i64
  %rows = arith.extsi %n : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<64x32xf32, #c>) : i32 {
    %at32 = arith.muli %t, %c32 : i32
    %at = arith.extsi %at32 : i32 to i64
    %low = arith.subi %none, %at : i64
    %high = arith.subi %rows, %at : i64
    %place = arith.muli %at, %stride : i64
    %v = tts.load %y[%place] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %width) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
    %k = tts.load %x[%place] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %width) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
    %s = cta.dot %q, %k, %sums : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    %p = arith.truncf %s : tensor<64x32xf32, #c> to tensor<64x32xf16, #c>
    %d = cta.dot %p, %v, %sum : tensor<64x32xf16, #c>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16, registers>
    scf.yield %d : tensor<64x32xf32, #c>
  }
  tts.store %r to %o[%none] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  return
}

// Two products read one left operand: the copies of all three operands come before the first of them, with what says where they are from.
// CHECK-LABEL: func.func @copied_together(
// CHECK: cta.specialize producer {
// CHECK: cta.wait_mbarrier
// CHECK-COUNT-3: cta.copy_box
// CHECK: } consumers {
// CHECK: cta.wait_mbarrier
// CHECK: cta.dot
// CHECK-NOT: cta.wait_mbarrier
// CHECK: cta.dot
func.func @copied_together(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %stride: i64 {tt.divisibility = 8 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant 0 : i64
  %far = arith.constant 1024 : i64
  %lines = arith.constant 64 : i64
  %rows = arith.extsi %n : i32 to i64
  %width = arith.constant 32 : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%first = %sums, %second = %sums) -> (tensor<64x32xf32, #c>, tensor<64x32xf32, #c>) : i32 {
    %at32 = arith.muli %t, %c32 : i32
    %at = arith.extsi %at32 : i32 to i64
    %low = arith.subi %none, %at : i64
    %high = arith.subi %rows, %at : i64
    %left = tts.load %x[%at] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%lines, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #a>
    %place = arith.muli %at, %stride : i64
    %k = tts.load %y[%place] strides [%stride, 1] bounds [0, 1] from(%low, %none) to(%high, %width) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
    %s = cta.dot %left, %k, %first : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    %shifted = arith.addi %at, %far : i64
    %lower = arith.subi %none, %shifted : i64
    %higher = arith.subi %rows, %shifted : i64
    %beyond = arith.muli %shifted, %stride : i64
    %v = tts.load %y[%beyond] strides [%stride, 1] bounds [0, 1] from(%lower, %none) to(%higher, %width) other %fill : f16 : memref<*xf16> -> tensor<32x32xf16, #b>
    %d = cta.dot %left, %v, %second : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c> by #cta.wgmma<m64n32k16>
    scf.yield %s, %d : tensor<64x32xf32, #c>, tensor<64x32xf32, #c>
  }
  tts.store %r#0 to %o[%none] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  tts.store %r#1 to %o[%far] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  return
}
