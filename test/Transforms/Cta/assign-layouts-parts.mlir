// Parts of a tile are registers of it where that is as good for memory.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[LOADED:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 64]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [4, 0], [1, 0]], warp = {{\[\[}}2, 0]]>
// CHECK-DAG: #[[HALF:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [4, 0], [1, 0]], warp = {{\[\[}}2, 0]]>
// CHECK-DAG: #[[PRODUCT:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>
// CHECK-DAG: #[[COLUMNS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>

// CHECK-DAG: #[[JOINED:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [1, 0], [2, 0], [128, 0]]
// CHECK-DAG: #[[ONCE:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [1, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 2], [2, 0], [4, 0]], warp = []>

// Lanes would hold the halves of a row: the rows that registers would hold, lanes hold instead.
// CHECK-LABEL: func.func @rows(
func.func @rows(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i64
  // CHECK: %[[X:.*]] = tts.load {{.*}} -> tensor<8x128xf16, #[[LOADED]]>
  // CHECK: cta.slice %[[X]] [0, 0] : tensor<8x128xf16, #[[LOADED]]> -> tensor<8x64xf16, #[[HALF]]>
  // CHECK: cta.slice %[[X]] [0, 64] : tensor<8x128xf16, #[[LOADED]]> -> tensor<8x64xf16, #[[HALF]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %v = tts.load %x[%zero] strides [128, 1] : memref<*xf16> -> tensor<8x128xf16>
  %a = cta.slice %v [0, 0] : tensor<8x128xf16> -> tensor<8x64xf16>
  %b = cta.slice %v [0, 64] : tensor<8x128xf16> -> tensor<8x64xf16>
  %s = arith.addf %a, %b : tensor<8x64xf16>
  tts.store %s to %o[%zero] strides [64, 1] : tensor<8x64xf16>, memref<*xf16>
  return
}

// Tensor cores leave halves of the columns in registers. Halves of the rows are held by different warps: the tile is moved
// once.
// CHECK-LABEL: func.func @product(
func.func @product(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %at = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tts.load %p[%at] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16>
  %y = tts.load %p[%at] strides [64, 1] : memref<*xf16> -> tensor<32x64xf16>
  // CHECK: %[[D:.*]] = cta.dot {{.*}} -> tensor<64x64xf32, #[[PRODUCT]]>
  %d = cta.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32> by #cta.wgmma<m64n64k16>
  // CHECK-DAG: cta.slice %[[D]] [0, 32] : tensor<64x64xf32, #[[PRODUCT]]> -> tensor<64x32xf32, #[[COLUMNS]]>
  %a = cta.slice %d [0, 32] : tensor<64x64xf32> -> tensor<64x32xf32>
  // CHECK-DAG: %[[MOVED:.*]] = cta.convert_layout %[[D]] : {{.*}} -> tensor<64x64xf32, #[[OTHER:layout[0-9]*]]>
  // CHECK-DAG: cta.slice %{{.*}} [0, 0] : tensor<64x64xf32, #[[OTHER]]> -> tensor<32x64xf32
  // CHECK-DAG: cta.slice %{{.*}} [32, 0] : tensor<64x64xf32, #[[OTHER]]> -> tensor<32x64xf32
  %b = cta.slice %d [0, 0] : tensor<64x64xf32> -> tensor<32x64xf32>
  %c = cta.slice %d [32, 0] : tensor<64x64xf32> -> tensor<32x64xf32>
  tts.store %a to %o[%at] strides [32, 1] : tensor<64x32xf32>, memref<*xf32>
  tts.store %b to %o[%at] strides [64, 1] : tensor<32x64xf32>, memref<*xf32>
  tts.store %c to %o[%at] strides [64, 1] : tensor<32x64xf32>, memref<*xf32>
  return
}

// What is put together has the parts in registers, in the order in which a store writes them.
// CHECK-LABEL: func.func @joined(
func.func @joined(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<256x2xf16>
  %a = tts.load %x[%zero] strides [1] : memref<*xf16> -> tensor<256xf16>
  %b = tts.load %y[%zero] strides [1] : memref<*xf16> -> tensor<256xf16>
  %left = cta.reshape %a : tensor<256xf16> -> tensor<256x1xf16>
  %right = cta.reshape %b : tensor<256xf16> -> tensor<256x1xf16>
  // CHECK: cta.insert_slice {{.*}} into tensor<256x2xf16, #[[JOINED]]>
  // CHECK: cta.insert_slice {{.*}} into tensor<256x2xf16, #[[JOINED]]>
  // CHECK-NOT: cta.convert_layout
  // CHECK: return
  %first = cta.insert_slice %left into %none [0, 0] : tensor<256x1xf16> into tensor<256x2xf16>
  %both = cta.insert_slice %right into %first [0, 1] : tensor<256x1xf16> into tensor<256x2xf16>
  %flat = cta.reshape %both : tensor<256x2xf16> -> tensor<512xf16>
  tts.store %flat to %o[%zero] strides [1] : tensor<512xf16>, memref<*xf16>
  return
}

// Parts of the sums of rows: no second thread computes what a first one does, to have them in registers.
// CHECK-LABEL: func.func @sums_of_rows(
// CHECK: tts.load {{.*}} -> tensor<8x16xf16, #[[ONCE]]>
func.func @sums_of_rows(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %v = tts.load %x[%zero] strides [16, 1] : memref<*xf16> -> tensor<8x16xf16>
  %sums = cta.reduce %v axis 1 : (tensor<8x16xf16>) -> tensor<8xf16> {
  ^bb0(%l: f16, %r: f16):
    %sum = arith.addf %l, %r : f16
    cta.yield %sum : f16
  }
  %pairs = cta.reshape %sums : tensor<8xf16> -> tensor<4x2xf16>
  %a = cta.slice %pairs [0, 0] : tensor<4x2xf16> -> tensor<4x1xf16>
  %b = cta.slice %pairs [0, 1] : tensor<4x2xf16> -> tensor<4x1xf16>
  %s = arith.addf %a, %b : tensor<4x1xf16>
  tts.store %s to %o[%zero] strides [1, 1] : tensor<4x1xf16>, memref<*xf16>
  return
}
