// RUN: triton-shared-opt %s --cpu-tile-dots="bf16-pairs=true int16-pairs=true bf16-tiles=true" | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK: func.func private @tritonSharedMayUseMatrixTiles() -> i32

// Four parts of the result stay in registers. Whoever may not use these multiplies by vectors.
// CHECK-LABEL: func.func @four(
// CHECK-SAME:    %[[A:.*]]: memref<64x64xbf16>, %[[B:.*]]: memref<64x64xbf16>, %[[C:.*]]: memref<64x64xf32>
// CHECK-NEXT:    %[[ANSWER:.*]] = call @tritonSharedMayUseMatrixTiles()
// CHECK:         %[[MAY:.*]] = arith.cmpi ne, %[[ANSWER]], %
// CHECK-NOT:     call @
// CHECK:         scf.if %[[MAY]] {
// CHECK:           %[[PAIRS:.*]] = memref.alloc() : memref<32x128xbf16>
// CHECK-COUNT-4:   amx.tile_load %[[C]]
// CHECK:           scf.for %[[PAIR:.*]] = %{{.*}} to %[[C32:.*]] step %[[C16:[^ ]*]] iter_args(
// CHECK:             amx.tile_load %[[A]]{{.*}} into !amx.tile<16x32xbf16>
// CHECK:             amx.tile_load %[[A]]{{.*}} into !amx.tile<16x32xbf16>
// CHECK:             amx.tile_load %[[PAIRS]][%[[PAIR]], %{{.*}}] {{.*}} into !amx.tile<16x32xbf16>
// CHECK:             amx.tile_load %[[PAIRS]][%[[PAIR]], %{{.*}}] {{.*}} into !amx.tile<16x32xbf16>
// CHECK-COUNT-4:     amx.tile_mulf {{.*}} !amx.tile<16x16xf32>
// CHECK:             scf.yield
// CHECK-COUNT-4:   amx.tile_store %[[C]]
// CHECK:         } else {
// CHECK:           llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @four(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// A short block fills a part of a register. A sum that starts with 0 is not loaded, one that starts
// with another number is filled in first. The second dot does not ask again.
// CHECK-LABEL: func.func @short(
// CHECK:         call @tritonSharedMayUseMatrixTiles()
// CHECK-NOT:     call @
// CHECK:         scf.if
// CHECK:           amx.tile_zero : !amx.tile<8x16xf32>
// CHECK:           into !amx.tile<8x16xbf16>
// CHECK:           into !amx.tile<8x32xbf16>
// CHECK:           amx.tile_mulf {{.*}} : !amx.tile<8x16xbf16>, !amx.tile<8x32xbf16>, !amx.tile<8x16xf32>
// CHECK-NOT:       amx.tile_load
// CHECK:           amx.tile_store
// CHECK:         scf.if
// CHECK:           vector.store
// CHECK:           amx.tile_load {{.*}} into !amx.tile<8x16xf32>
// CHECK:         return
func.func @short(%a: memref<8x16xbf16>, %b: memref<16x16xbf16>, %d: memref<8x16xf32>, %e: memref<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%zero : f32) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xbf16>, memref<16x16xbf16>) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  memref.copy %c, %d : memref<8x16xf32> to memref<8x16xf32>
  %f = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%one : f32) outs(%f : memref<8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xbf16>, memref<16x16xbf16>) outs(%f : memref<8x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  memref.copy %f, %e : memref<8x16xf32> to memref<8x16xf32>
  return
}

// Two rows are as fast by vectors, and bytes have other instructions: nobody asks.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     call @
// CHECK-NOT:     amx
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:     amx
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"
func.func @others(%a: memref<2x32xbf16>, %b: memref<32x16xbf16>, %c: memref<2x16xf32>,
                  %d: memref<16x32xi8>, %e: memref<32x16xi8>, %f: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<2x32xbf16>, memref<32x16xbf16>) outs(%c : memref<2x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d, %e : memref<16x32xi8>, memref<32x16xi8>) outs(%f : memref<16x16xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %wx = arith.extsi %x : i8 to i32
    %wy = arith.extsi %y : i8 to i32
    %p = arith.muli %wx, %wy : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}
