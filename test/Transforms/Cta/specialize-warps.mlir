// A loop whose loads are boxes, within another one: a warp of its own asks for the copies, ahead of all others.
// RUN: triton-shared-opt %s --cta-specialize-warps --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>

// The producer has the loops and the scalars of the places, and no tile. Slots and phases go through both loops, so that
// it goes on with the next turn of the outer one. At first nobody has to read a slot: it waits for the other phase. A
// group of four warps arrives when the product of the turn before has read its slot, and after the loop for the last one.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[MAP_A:[^: ]*]]: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0
// CHECK-SAME: %[[MAP_B:[^: ]*]]: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 1
// CHECK-SAME: cta.producer_warps = 1 : i32
// CHECK: %[[A:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 64x32xf16
// CHECK: %[[B:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 32x32xf16
// CHECK: %[[FULL:.*]] = cta.mbarriers arrivals 2 : <3>
// CHECK: %[[EMPTY:.*]] = cta.mbarriers arrivals 1 : <3>
// CHECK: cta.specialize producer {
// CHECK-NOT: tensor<
// CHECK: scf.for %[[TILE:[^ ]*]] = {{.*}} iter_args(%[[SLOT0:[^ ]*]] = %c0_i32, %[[PHASE0:[^ ]*]] = %c0_i32) -> (i32, i32)
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]], %c64_i32
// CHECK: scf.for %[[T:[^ ]*]] = {{.*}} iter_args(%[[SLOT:[^ ]*]] = %[[SLOT0]], %[[PHASE:[^ ]*]] = %[[PHASE0]]) -> (i32, i32)
// CHECK: %[[K:.*]] = arith.muli %[[T]], %c32_i32
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: cta.wait_mbarrier %[[EMPTY]][%[[SLOT]]] phase %[[OTHER]]
// CHECK: cta.copy_box %[[MAP_A]][%[[ROW]], %[[K]]] dims [0, 1] by [64, 32] to %[[A]][%[[SLOT]]] at %[[FULL]] if %true
// CHECK: cta.copy_box %[[MAP_B]][%[[K]], %c0_i32] dims [0, 1] by [32, 32] to %[[B]][%[[SLOT]]] at %[[FULL]] if %true
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[NEXT]], %c0_i32
// CHECK: %[[CHANGED:.*]] = arith.select %[[BEGINS]], %[[OTHER]], %[[PHASE]]
// CHECK: scf.yield %[[NEXT]], %[[CHANGED]] : i32, i32
// CHECK: } consumers {
// CHECK-NOT: cta.copy_box
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK: scf.if %{{.*}} -> (tensor<64x32xf32, #{{.*}}>, i32, i32) {
// CHECK: %[[LAST:.*]]:3 = scf.for %[[T:[^ ]*]] = %c0_i32 {{.*}} iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %{{[^ ]*}})
// CHECK: cta.wait_mbarrier %[[FULL]][%[[SLOT]]] phase %[[PHASE]]
// CHECK-NEXT: %[[READ_A:.*]] = cta.read %[[A]][%[[SLOT]]]
// CHECK-NEXT: %[[READ_B:.*]] = cta.read %[[B]][%[[SLOT]]]
// CHECK-NEXT: %[[D:.*]] = cta.dot %[[READ_A]], %[[READ_B]], %{{.*}} goes_on
// CHECK-NEXT: cta.wait_dot %[[D]] but 1
// CHECK-NEXT: %[[IS_LATER:.*]] = arith.cmpi ne, %[[T]], %c0_i32
// CHECK: %[[BEFORE:.*]] = arith.select
// CHECK: cta.arrive %[[EMPTY]][%[[BEFORE]]] if %[[IS_LATER]]
// CHECK: cta.wait_dot %[[LAST]]#0 :
// CHECK: cta.arrive %[[EMPTY]][%{{.*}}] if %true
// CHECK: tts.store
func.func @tiles(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
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
      scf.yield %d : tensor<64x32xf32, #c>
    }
    tts.store %r to %o[%row] strides [32, 1] : tensor<64x32xf32, #c>, memref<*xf32>
  }
  return
}
