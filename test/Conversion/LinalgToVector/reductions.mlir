// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s
// RUN: triton-shared-opt %s --linalg-to-vector=fma=false | FileCheck %s --check-prefix=PLAIN

#in = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

// Four vectors collect a row from what changes nothing; then a tree combines
// them, and the start comes last.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]])
// CHECK-COUNT-4:   arith.addf %{{.*}} : vector<16xf32>
// CHECK:         %[[A:.*]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK:         %[[B:.*]] = arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// CHECK:         arith.addf %[[A]], %[[B]]
// CHECK:         arith.addf %{{.*}} : vector<8xf32>
// CHECK:         arith.addf %{{.*}} : vector<4xf32>
// CHECK:         arith.addf %{{.*}} : vector<2xf32>
// CHECK:         %[[ROW:.*]] = vector.extract
// CHECK:         %[[START:.*]] = memref.load
// CHECK:         arith.addf %[[START]], %[[ROW]] : f32
func.func @sum_of_rows(%x: memref<4x128xf32>, %to: memref<4xf32>) {
  linalg.generic {indexing_maps = [#in, #rows], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x128xf32>) outs(%to : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
}

// Columns are lanes, and each keeps the order of its elements.
// CHECK-LABEL: func.func @sum_of_columns(
// CHECK:         scf.for
// CHECK:           %[[START:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK:           %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[START]])
// CHECK:             arith.addf %[[S]]
// CHECK:           vector.store %[[SUM]]
func.func @sum_of_columns(%x: memref<4x128xf32>, %to: memref<128xf32>) {
  linalg.generic {indexing_maps = [#in, #columns], iterator_types = ["reduction", "parallel"]}
    ins(%x : memref<4x128xf32>) outs(%to : memref<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// What is computed before it is reduced is computed by vectors.
// CHECK-LABEL: func.func @largest_square(
// CHECK:         arith.mulf %{{.*}} : vector<16xf32>
// CHECK:         arith.maxnumf %{{.*}} : vector<16xf32>
func.func @largest_square(%x: memref<4x128xf32>, %to: memref<4xf32>) {
  linalg.generic {indexing_maps = [#in, #rows], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x128xf32>) outs(%to : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %m = arith.maxnumf %p, %o : f32
    linalg.yield %m : f32
  }
  return
}

// A region of the kernel's own keeps its order.
// CHECK-LABEL: func.func @own_region(
// CHECK:         linalg.generic
func.func @own_region(%x: memref<4x128xf32>, %to: memref<4xf32>) {
  linalg.generic {indexing_maps = [#in, #rows], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x128xf32>) outs(%to : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %o : f32
    %m = arith.addf %p, %o : f32
    linalg.yield %m : f32
  }
  return
}

// Products are added without being rounded before, if the CPU can.
// CHECK-LABEL: func.func @sum_of_squares(
// CHECK:         scf.for
// CHECK:           %[[X:.*]] = vector.load
// CHECK:           math.fma %[[X]], %[[X]], %{{.*}} : vector<16xf32>
// PLAIN-LABEL: func.func @sum_of_squares(
// PLAIN-NOT:     math.fma
func.func @sum_of_squares(%m: memref<256xf32>, %r: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%m : memref<256xf32>) outs(%r : memref<f32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  }
  return
}
