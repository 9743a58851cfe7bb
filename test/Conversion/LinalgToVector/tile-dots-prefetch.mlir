// RUN: triton-shared-opt %s --cpu-tile-dots | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// What the next turn reads is asked for in parts. Of the two cache lines of each row of the left
// operand, the tiles of either half of the columns have one; of the 32 rows of the right one, each
// of the 16 tiles of a column has two, of four lines for the columns of the tile.
// CHECK-LABEL: func.func @next(
// CHECK:         scf.for %[[I:[^ ]*]] =
// CHECK:           %[[AFTER:.*]] = arith.addi %[[I]], %
// CHECK:           %[[LEFT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%[[AFTER]]], sizes: [64, 32]
// CHECK:           %[[RIGHT:.*]] = memref.reinterpret_cast %{{.*}} sizes: [32, 128]
// CHECK:           scf.for %[[COLUMN:[^ ]*]] =
// CHECK:             scf.for
// CHECK:               %[[HALF:.*]] = arith.divui %[[COLUMN]], %c64
// CHECK:               %[[LINE:.*]] = arith.muli %[[HALF]], %c16
// CHECK:               %[[PLACE:.*]] = arith.addi %[[LINE]], %
// CHECK:               memref.prefetch %[[LEFT]][%{{.*}}, %[[PLACE]]], read
// CHECK-COUNT-3:       memref.prefetch %[[LEFT]]
// CHECK-NOT:           memref.prefetch %[[LEFT]]
// CHECK-COUNT-8:       memref.prefetch %[[RIGHT]]
// CHECK-NOT:           memref.prefetch
// CHECK:         return
func.func @next(%x: memref<*xf32>, %y: memref<*xf32>, %c: memref<64x128xf32>, %end: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  scf.for %i = %c0 to %end step %c32 {
    %a = memref.reinterpret_cast %x to offset: [%i], sizes: [64, 32], strides: [1024, 1]
      : memref<*xf32> to memref<64x32xf32, strided<[1024, 1], offset: ?>>
    %row = arith.muli %i, %c4096 : index
    %b = memref.reinterpret_cast %y to offset: [%row], sizes: [32, 128], strides: [4096, 1]
      : memref<*xf32> to memref<32x128xf32, strided<[4096, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32, strided<[1024, 1], offset: ?>>, memref<32x128xf32, strided<[4096, 1], offset: ?>>)
      outs(%c : memref<64x128xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    }
  }
  return
}
