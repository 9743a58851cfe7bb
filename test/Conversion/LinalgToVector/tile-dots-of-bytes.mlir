// RUN: triton-shared-opt %s --cpu-tile-dots="int16-pairs=true int8-tiles=true" | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Registers of matrices multiply four neighbours at once, signed or not; the right operand is copied
// with four rows in one. Vectors multiply two, as numbers of 16 bits.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:    %[[A:[^:]*]]: memref<16x64xi8>, %[[B:[^:]*]]: memref<64x16xi8>
// CHECK:         scf.if
// CHECK:           %[[FOURS:.*]] = memref.alloc() : memref<16x64xi8>
// CHECK:           %[[R0:.*]] = vector.load %[[B]]{{.*}} vector<16xi8>
// CHECK:           %[[R1:.*]] = vector.load %[[B]]
// CHECK:           %[[R2:.*]] = vector.load %[[B]]
// CHECK:           %[[R3:.*]] = vector.load %[[B]]
// CHECK-DAG:       %[[EVEN:.*]] = vector.interleave %[[R0]], %[[R2]]
// CHECK-DAG:       %[[ODD:.*]] = vector.interleave %[[R1]], %[[R3]]
// CHECK:           %[[ALL:.*]] = vector.interleave %[[EVEN]], %[[ODD]] : vector<32xi8> -> vector<64xi8>
// CHECK:           vector.store %[[ALL]], %[[FOURS]]
// CHECK:           amx.tile_load %{{.*}} into !amx.tile<16x16xi32>
// CHECK:           amx.tile_load %[[A]]{{.*}} into !amx.tile<16x64xi8>
// CHECK:           amx.tile_load %[[FOURS]]{{.*}} into !amx.tile<16x64xi8>
// CHECK:           amx.tile_muli %{{[^ ]*}}, %{{[^ ]*}} zext, %
// CHECK:         } else {
// CHECK:           llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"
func.func @bytes(%a: memref<16x64xi8>, %b: memref<64x16xi8>, %c: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x64xi8>, memref<64x16xi8>) outs(%c : memref<16x16xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %wx = arith.extsi %x : i8 to i32
    %wy = arith.extui %y : i8 to i32
    %p = arith.muli %wx, %wy : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// Six places along the summed-up dimension are no whole number of fours.
// CHECK-LABEL: func.func @six(
// CHECK-NOT:     amx
// CHECK:         return
func.func @six(%a: memref<16x6xi8>, %b: memref<6x16xi8>, %c: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x6xi8>, memref<6x16xi8>) outs(%c : memref<16x16xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %wx = arith.extsi %x : i8 to i32
    %wy = arith.extsi %y : i8 to i32
    %p = arith.muli %wx, %wy : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}
