// Comparisons of an index with a bound: once for neighbours whose number divides the bound and where they begin.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#wide = #cta.layout<register = [[1], [2], [4], [256]], lane = [[8], [16], [32], [64], [128]], warp = []>
#rows = #cta.layout<register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = []>

// Sixteen divides the bound: of two groups of eight, one register each.
// CHECK-LABEL: gpu.func @divided(
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK:         vector.shuffle %[[BITS:.*]], %[[BITS]] [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1] : vector<2xi1>, vector<2xi1>
// CHECK-NOT:     arith.cmpi
// CHECK:         gpu.return
func.func @divided(%n: i32 {tt.divisibility = 16 : i32}, %o: memref<*xi8>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %index = cta.iota 0 : tensor<512xindex, #wide>
  %at = arith.index_cast %index : tensor<512xindex, #wide> to tensor<512xi32, #wide>
  %bound = cta.splat %n : tensor<512xi32, #wide>
  %inside = arith.cmpi slt, %at, %bound : tensor<512xi32, #wide>
  %bytes = arith.extui %inside : tensor<512xi1, #wide> to tensor<512xi8, #wide>
  tts.store %bytes to %o[%zero] strides [1] : tensor<512xi8, #wide>, memref<*xi8>
  return
}

// Four divide the start, and more the bound, which may stand on the left.
// CHECK-LABEL: gpu.func @from_start(
// CHECK:         arith.cmpi ule, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK:         vector.shuffle {{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
func.func @from_start(%start: i32 {tt.divisibility = 4 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %o: memref<*xi8>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %index = cta.iota 0 : tensor<512xi32, #wide>
  %from = cta.splat %start : tensor<512xi32, #wide>
  %at = arith.addi %from, %index : tensor<512xi32, #wide>
  %bound = cta.splat %n : tensor<512xi32, #wide>
  %behind = arith.cmpi ule, %bound, %at : tensor<512xi32, #wide>
  %bytes = arith.extui %behind : tensor<512xi1, #wide> to tensor<512xi8, #wide>
  tts.store %bytes to %o[%zero] strides [1] : tensor<512xi8, #wide>, memref<*xi8>
  return
}

// Neighbours lie along the dimension of the index: here, four of two rows.
// CHECK-LABEL: gpu.func @columns(
// CHECK:         arith.cmpi sge, %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK:         vector.shuffle {{.*}} [0, 0, 0, 0, 1, 1, 1, 1]
func.func @columns(%n: i32 {tt.divisibility = 16 : i32}, %o: memref<*xi8>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %at = cta.iota 1 : tensor<16x16xi32, #rows>
  %bound = cta.splat %n : tensor<16x16xi32, #rows>
  %outside = arith.cmpi sge, %at, %bound : tensor<16x16xi32, #rows>
  %bytes = arith.extui %outside : tensor<16x16xi1, #rows> to tensor<16x16xi8, #rows>
  tts.store %bytes to %o[%zero] strides [16, 1] : tensor<16x16xi8, #rows>, memref<*xi8>
  return
}

// Any bound may fall between two neighbours, and so does equality; constants are LLVM's.
// CHECK-LABEL: gpu.func @any(
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : vector<16xi32>
func.func @any(%n: i32, %m: i32 {tt.divisibility = 16 : i32}, %o: memref<*xi8>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %at = cta.iota 0 : tensor<512xi32, #wide>
  %bound = cta.splat %n : tensor<512xi32, #wide>
  %inside = arith.cmpi slt, %at, %bound : tensor<512xi32, #wide>
  %other = cta.splat %m : tensor<512xi32, #wide>
  %same = arith.cmpi eq, %at, %other : tensor<512xi32, #wide>
  %some = arith.andi %inside, %same : tensor<512xi1, #wide>
  %constant = arith.constant dense<96> : tensor<512xi32, #wide>
  %more = arith.cmpi slt, %at, %constant : tensor<512xi32, #wide>
  %both = arith.andi %some, %more : tensor<512xi1, #wide>
  %bytes = arith.extui %both : tensor<512xi1, #wide> to tensor<512xi8, #wide>
  tts.store %bytes to %o[%zero] strides [1] : tensor<512xi8, #wide>, memref<*xi8>
  return
}
