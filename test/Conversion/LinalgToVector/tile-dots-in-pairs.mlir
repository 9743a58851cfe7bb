// RUN: triton-shared-opt %s --cpu-tile-dots="bf16-pairs=true int16-pairs=true" | FileCheck %s
// RUN: triton-shared-opt %s --cpu-tile-dots | FileCheck %s --check-prefix=SINGLE

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// The right operand is copied with its rows in pairs; the left one stays where it is.
// CHECK-LABEL: func.func @bf16(
// CHECK-SAME:    %[[A:.*]]: memref<64x32xbf16>, %[[B:.*]]: memref<32x64xbf16>
// CHECK:         %[[PAIRS:.*]] = memref.alloc() : memref<16x128xbf16>
// CHECK:         %[[EVEN:.*]] = vector.load %[[B]]
// CHECK:         %[[ODD:.*]] = vector.load %[[B]]
// CHECK:         vector.interleave %[[EVEN]], %[[ODD]] : vector<16xbf16> -> vector<32xbf16>
// CHECK:         vector.load %[[PAIRS]]{{.*}} vector<32xbf16>
// CHECK:         vector.load %[[A]]{{.*}} vector<2xbf16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// SINGLE-LABEL: func.func @bf16(
// SINGLE:         math.fma {{.*}} vector<16xf32>
func.func @bf16(%a: memref<64x32xbf16>, %b: memref<32x64xbf16>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Bytes become numbers of 16 bits first, as their kind is widened.
// CHECK-LABEL: func.func @bytes(
// CHECK:         arith.extsi %{{.*}} : i8 to i16
// CHECK:         arith.extui %{{.*}} : i8 to i16
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"
// SINGLE-LABEL: func.func @bytes(
// SINGLE:         arith.muli {{.*}} vector<16xi32>
func.func @bytes(%a: memref<16x32xi8>, %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xi8>, memref<32x16xi8>) outs(%c : memref<16x16xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %wx = arith.extsi %x : i8 to i32
    %wy = arith.extui %y : i8 to i32
    %p = arith.muli %wx, %wy : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// Nothing is in pairs where the summed-up dimension is odd, or the sum has another type.
// CHECK-LABEL: func.func @odd(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         math.fma
func.func @odd(%a: memref<16x15xbf16>, %b: memref<15x16xbf16>, %c: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x15xbf16>, memref<15x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
