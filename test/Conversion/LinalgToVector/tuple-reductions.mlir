// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Numbers and their places along a row: of two tuples one is taken, whatever
// their order is. What is left of the row comes one after the other.
// CHECK-LABEL: func.func @place(
// CHECK:         %[[MOST:.*]] = memref.load %{{.*}} : memref<8xf32>
// CHECK:         %[[PLACE:.*]] = memref.load %{{.*}} : memref<8xi32>
// CHECK:         vector.broadcast %[[MOST]] : f32 to vector<16xf32>
// CHECK:         vector.broadcast %[[PLACE]] : i32 to vector<16xi32>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-COUNT-8:   vector.load
// CHECK:           scf.yield {{.*}} : vector<16xf32>, vector<16xi32>, vector<16xf32>
// CHECK:         vector.shuffle %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
// CHECK:         vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:         memref.store {{.*}} : memref<8xf32>
// CHECK:         memref.store {{.*}} : memref<8xi32>
func.func @place(%x: memref<8x1023xf32>, %i: memref<8x1023xi32>, %most: memref<8xf32>, %place: memref<8xi32>) {
  linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %i : memref<8x1023xf32>, memref<8x1023xi32>) outs(%most, %place : memref<8xf32>, memref<8xi32>) {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %equal = arith.cmpf oeq, %c, %a : f32
    %before = arith.cmpi slt, %d, %b : i32
    %first = arith.andi %equal, %before : i1
    %larger = arith.cmpf ogt, %c, %a : f32
    %take = arith.ori %larger, %first : i1
    %r = arith.select %take, %c, %a : f32
    %s = arith.select %take, %d, %b : i32
    linalg.yield %r, %s : f32, i32
  }
  return
}

// Where neither is larger, the later one is taken: the order counts.
// CHECK-LABEL: func.func @ordered(
// CHECK:         linalg.generic
func.func @ordered(%x: memref<8x1023xf32>, %i: memref<8x1023xi32>, %most: memref<8xf32>, %place: memref<8xi32>) {
  linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %i : memref<8x1023xf32>, memref<8x1023xi32>) outs(%most, %place : memref<8xf32>, memref<8xi32>) {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %larger = arith.cmpf ogt, %c, %a : f32
    %r = arith.select %larger, %c, %a : f32
    %s = arith.select %larger, %d, %b : i32
    linalg.yield %r, %s : f32, i32
  }
  return
}

// Columns are lanes, whatever is computed: rows keep their order.
// CHECK-LABEL: func.func @columns(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           vector.load %{{.*}} : memref<64xf32>, vector<16xf32>
// CHECK:           vector.load %{{.*}} : memref<64xf32>, vector<16xf32>
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:             arith.divf {{.*}} : vector<16xf32>
// CHECK:           vector.store {{.*}} : memref<64xf32>, vector<16xf32>
// CHECK:           vector.store {{.*}} : memref<64xf32>, vector<16xf32>
func.func @columns(%x: memref<32x64xf32>, %n: memref<32x64xf32>, %mean: memref<64xf32>, %count: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #column, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %n : memref<32x64xf32>, memref<32x64xf32>) outs(%mean, %count : memref<64xf32>, memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %sum = arith.addf %b, %d : f32
    %delta = arith.subf %a, %c : f32
    %part = arith.divf %delta, %sum : f32
    %r = arith.addf %c, %part : f32
    linalg.yield %r, %sum : f32, f32
  }
  return
}
