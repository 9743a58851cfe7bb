// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// What is added to memory side by side is exchanged first, so that a thread adds several at once; where they go is computed there.
// CHECK-DAG: #[[COLUMNS:.*]] = #cta.layout<register = {{\[}}[1, 0], [2, 0]
// CHECK-DAG: #[[ROWS:.*]] = #cta.layout<register = {{\[}}[0, 1], [0, 2]
// CHECK-LABEL: func.func @rows(
// CHECK:         tts.load {{.*}} tensor<64x64xf32, #[[COLUMNS]]>
// CHECK:         %[[VALUES:.*]] = cta.convert_layout {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// CHECK:         %[[OFFSETS:.*]] = arith.addi {{.*}} tensor<64x64xi64, #[[ROWS]]>
// CHECK:         tts.atomic_rmw fadd relaxed gpu %[[VALUES]] at %{{.*}}[%[[OFFSETS]]] : tensor<64x64xf32, #[[ROWS]]>
func.func @rows(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %p: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : i64
  %values = tts.load %x[%c0] strides [1, 64] : memref<*xf32> -> tensor<64x64xf32>
  %i = cta.iota 0 : tensor<64x64xindex>
  %j = cta.iota 1 : tensor<64x64xindex>
  %row = arith.index_cast %i : tensor<64x64xindex> to tensor<64x64xi64>
  %column = arith.index_cast %j : tensor<64x64xindex> to tensor<64x64xi64>
  %size = arith.constant dense<64> : tensor<64x64xi64>
  %begin = arith.muli %row, %size : tensor<64x64xi64>
  %offsets = arith.addi %begin, %column : tensor<64x64xi64>
  %old = tts.atomic_rmw fadd relaxed gpu %values at %p[%offsets] : tensor<64x64xf32>, memref<*xf32>, tensor<64x64xi64>
  return
}

// A GPU that adds one at a time has no use for that.
// CHECK-LABEL: func.func @one_by_one(
// CHECK-NOT:     cta.convert_layout
// CHECK:         return
func.func @one_by_one(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %p: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : i64
  %values = tts.load %x[%c0] strides [1, 64] : memref<*xf32> -> tensor<64x64xf32>
  %i = cta.iota 0 : tensor<64x64xindex>
  %j = cta.iota 1 : tensor<64x64xindex>
  %row = arith.index_cast %i : tensor<64x64xindex> to tensor<64x64xi64>
  %column = arith.index_cast %j : tensor<64x64xindex> to tensor<64x64xi64>
  %size = arith.constant dense<64> : tensor<64x64xi64>
  %begin = arith.muli %row, %size : tensor<64x64xi64>
  %offsets = arith.addi %begin, %column : tensor<64x64xi64>
  %old = tts.atomic_rmw fadd relaxed gpu %values at %p[%offsets] : tensor<64x64xf32>, memref<*xf32>, tensor<64x64xi64>
  return
}
