// RUN: triton-shared-opt %s --cpu-tile-dots | FileCheck %s
// RUN: triton-shared-opt %s --cpu-tile-dots="vector-bytes=32 registers=16" | FileCheck %s --check-prefix=AVX2

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Sixteen vectors of the result are in registers.
// CHECK-LABEL: func.func @f32(
// CHECK-COUNT-16: vector.load %{{.*}} vector<16xf32>
// CHECK:          scf.for {{.*}} iter_args(
// CHECK-COUNT-4:    vector.load %{{.*}} vector<16xf32>
// CHECK:            memref.load
// CHECK-COUNT-16:   math.fma %{{.*}} : vector<16xf32>
// CHECK-COUNT-16: vector.store
// AVX2-LABEL: func.func @f32(
// AVX2-COUNT-8: vector.load %{{.*}} vector<8xf32>
// AVX2:         scf.for {{.*}} iter_args(
func.func @f32(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What is converted first is copied by an element-wise operation.
// CHECK-LABEL: func.func @f16(
// CHECK:         %[[A:.*]] = memref.alloc() : memref<16x16xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[A]] :
// CHECK:           arith.extf
// CHECK:         %[[B:.*]] = memref.alloc() : memref<16x16xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[B]] :
// CHECK:         vector.load %[[B]]
// CHECK:         memref.load %[[A]]
func.func @f16(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Integers are multiplied and added; a right operand that lies column by column
// is copied.
// CHECK-LABEL: func.func @i8(
// CHECK:         arith.extsi
// CHECK:         arith.muli %{{.*}} : vector<16xi32>
// CHECK:         arith.addi %{{.*}} : vector<16xi32>
func.func @i8(%a: memref<16x16xi8>, %b: memref<16x16xi8, strided<[1, 16]>>, %c: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x16xi8>, memref<16x16xi8, strided<[1, 16]>>) outs(%c : memref<16x16xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

#ba = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#bb = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#bc = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// A batch is a loop over its dots.
// CHECK-LABEL: func.func @batch(
// CHECK:         scf.for %[[N:.*]] =
// CHECK:           memref.subview %{{.*}}[%[[N]], 0, 0]
func.func @batch(%a: memref<2x16x16xf32>, %b: memref<2x16x16xf32>, %c: memref<2x16x16xf32>) {
  linalg.generic {indexing_maps = [#ba, #bb, #bc], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<2x16x16xf32>, memref<2x16x16xf32>) outs(%c : memref<2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Sums that start at zero are not loaded; the zeros are not stored.
// CHECK-LABEL: func.func @from_zero(
// CHECK:         %[[C:.*]] = memref.alloc()
// CHECK-NOT:     linalg.generic
// CHECK:         %[[ZERO:.*]] = vector.broadcast %cst
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]
// CHECK:         vector.store {{.*}}, %[[C]]
func.func @from_zero(%a: memref<16x16xf32>, %b: memref<16x16xf32>) -> memref<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%c : memref<16x16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return %c : memref<16x16xf32>
}

// If an operation between has changed them, they are.
// CHECK-LABEL: func.func @from_changed_zeros(
// CHECK:         linalg.generic
// CHECK:         memref.store
// CHECK:         vector.load %{{.*}} : memref<16x16xf32>, vector<16xf32>
// CHECK:         scf.for
func.func @from_changed_zeros(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %x: f32, %i: index) -> memref<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%c : memref<16x16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  %row = memref.subview %c[0, 0] [1, 16] [1, 1] : memref<16x16xf32> to memref<1x16xf32, strided<[16, 1]>>
  memref.store %x, %row[%i, %i] : memref<1x16xf32, strided<[16, 1]>>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return %c : memref<16x16xf32>
}
