// RUN: triton-shared-opt %s --cpu-tile-dots="bf16-pairs=true bf16-tiles=true" | FileCheck %s
// RUN: triton-shared-opt %s --cpu-tile-dots="bf16-pairs=true" | FileCheck %s --check-prefix=VECTORS

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// The result is loaded once and stored once. In between, a buffer is made and filled.
// CHECK-LABEL: func.func @together(
// CHECK-SAME:    %[[A:[^:]*]]: memref<16x32xbf16>, %[[B:[^:]*]]: memref<32x16xbf16>, %[[C:[^:]*]]: memref<16x16xf32>
// CHECK:         %[[OTHER:.*]] = memref.alloc() : memref<16x32xbf16>
// CHECK:         memref.copy %[[A]], %[[OTHER]]
// CHECK:         scf.if
// CHECK:           %[[START:.*]] = amx.tile_load %[[C]]
// CHECK:           %[[FIRST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:             amx.tile_load %[[A]]
// CHECK:           %[[SECOND:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK:             amx.tile_load %[[OTHER]]
// CHECK:           amx.tile_store %[[C]]{{.*}}, %[[SECOND]]
// CHECK:         } else {
// CHECK-COUNT-2:   scf.yield {{.*}} : vector<16xf32>
// CHECK-NOT:     amx
// CHECK:         return
// Vectors have nothing of waiting.
// VECTORS-LABEL: func.func @together(
// VECTORS:         dpbf16ps
// VECTORS:         memref.copy
// VECTORS:         dpbf16ps
func.func @together(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %other = memref.alloc() : memref<16x32xbf16>
  memref.copy %a, %other : memref<16x32xbf16> to memref<16x32xbf16>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%other, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What the first one reads is written in between.
// CHECK-LABEL: func.func @overwritten(
// CHECK:         amx.tile_store
// CHECK:         memref.copy
// CHECK:         amx.tile_load
func.func @overwritten(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32>,
                       %other: memref<16x32xbf16>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  memref.copy %other, %a : memref<16x32xbf16> to memref<16x32xbf16>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What the first one writes is read in between.
// CHECK-LABEL: func.func @looked_at(
// CHECK:         amx.tile_store
// CHECK:         memref.copy
// CHECK:         amx.tile_load
func.func @looked_at(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %seen = memref.alloc() : memref<16x16xf32>
  memref.copy %c, %seen : memref<16x16xf32> to memref<16x16xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  call @look(%seen) : (memref<16x16xf32>) -> ()
  return
}
func.func private @look(memref<16x16xf32>)

// Nobody knows what is called.
// CHECK-LABEL: func.func @called(
// CHECK:         amx.tile_store
// CHECK:         call @other()
// CHECK:         amx.tile_load
func.func @called(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  call @other() : () -> ()
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @other()

// Each adds to a result of its own.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: amx.tile_store
func.func @apart(%a: memref<16x32xbf16>, %b: memref<32x16xbf16>, %c: memref<16x16xf32>, %d: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xbf16>, memref<32x16xbf16>) outs(%d : memref<16x16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %wl = arith.extf %l : bf16 to f32
    %wr = arith.extf %r : bf16 to f32
    %p = arith.mulf %wl, %wr : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
