// RUN: triton-shared-opt %s --cpu-tile-dots | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Rows of the right operand that lie apart are copied next to each other first.
// CHECK-LABEL: func.func @apart(
// CHECK-SAME:    %{{[^:]*}}: memref<64x32xf32>, %[[B:[^:]*]]:
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<32x64xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[B]] : {{.*}}) outs(%[[COPY]] :
// CHECK-NOT:     vector.load %[[B]]
// CHECK:         vector.load %[[COPY]]
func.func @apart(%a: memref<64x32xf32>, %b: memref<32x64xf32, strided<[?, 1], offset: ?>>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x32xf32>, memref<32x64xf32, strided<[?, 1], offset: ?>>) outs(%c : memref<64x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Neighbours are where they should be.
// CHECK-LABEL: func.func @neighbours(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @neighbours(%a: memref<64x32xf32>, %b: memref<32x64xf32, strided<[64, 1], offset: ?>>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x32xf32>, memref<32x64xf32, strided<[64, 1], offset: ?>>) outs(%c : memref<64x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Few rows do not read them often enough.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @few_rows(%a: memref<16x32xf32>, %b: memref<32x64xf32, strided<[?, 1], offset: ?>>, %c: memref<16x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x32xf32>, memref<32x64xf32, strided<[?, 1], offset: ?>>) outs(%c : memref<16x64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
