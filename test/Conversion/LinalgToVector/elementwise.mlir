// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s
// RUN: triton-shared-opt %s --linalg-to-vector=vector-bytes=32 | FileCheck %s --check-prefix=AVX2
// RUN: triton-shared-opt %s --linalg-to-vector=stream-bytes=32 | FileCheck %s --check-prefix=STREAM

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#trans = affine_map<(d0, d1) -> (d1, d0)>

// Rows go by in vectors of a register; what a row has in common is loaded once.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x64xf32>, %[[S:[^:]*]]: memref<4x1xf32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[COMMON:.*]] = memref.load %[[S]][%[[I]],
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] : memref<4x64xf32>, vector<16xf32>
// CHECK:             %[[B:.*]] = vector.broadcast %[[COMMON]] : f32 to vector<16xf32>
// CHECK:             %[[P:.*]] = arith.mulf %[[V]], %[[B]] : vector<16xf32>
// CHECK:             vector.store %[[P]]
// AVX2:              vector<8xf32>
func.func @rows(%x: memref<4x64xf32>, %s: memref<4x1xf32>, %to: memref<4x64xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %s : memref<4x64xf32>, memref<4x1xf32>) outs(%to : memref<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  }
  return
}

// What goes from the caller's memory to the caller's memory may have vectors of its own; what stays
// in a buffer of the kernel does not.
// STREAM-LABEL: func.func @rows(
// STREAM:         vector.store {{.*}} vector<8xf32>
// STREAM-LABEL: func.func @kept(
// STREAM:         vector.store {{.*}} vector<16xf32>
func.func @kept(%x: memref<4x64xf32>) -> memref<4x64xf32> {
  %to = memref.alloc() : memref<4x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<4x64xf32>) outs(%to : memref<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  }
  return %to : memref<4x64xf32>
}

// A narrow block has narrow vectors; indices count lanes.
// CHECK-LABEL: func.func @indices(
// CHECK:         %[[STEP:.*]] = vector.step : vector<4xindex>
// CHECK:         arith.index_cast %{{.*}} : vector<4xindex> to vector<4xi32>
// CHECK:         vector.store %{{.*}} : memref<2x4xi32>, vector<4xi32>
func.func @indices(%to: memref<2x4xi32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%to : memref<2x4xi32>) {
  ^bb0(%o: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    linalg.yield %k : i32
  }
  return
}

// The widest number decides: eight lanes of f64.
// CHECK-LABEL: func.func @wide(
// CHECK:         arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
func.func @wide(%x: memref<4x64xf32>, %to: memref<4x64xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<4x64xf32>) outs(%to : memref<4x64xf64>) {
  ^bb0(%a: f32, %o: f64):
    %e = arith.extf %a : f32 to f64
    linalg.yield %e : f64
  }
  return
}

// CHECK-LABEL: func.func @fill(
// CHECK:         %[[V:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK:         vector.store %[[V]]
func.func @fill(%x: f32, %to: memref<4x64xf32>) {
  linalg.fill ins(%x : f32) outs(%to : memref<4x64xf32>)
  return
}

// What reads columns and writes rows works on squares: four vectors are loaded
// along the columns, and shuffled in two steps.
// CHECK-LABEL: func.func @across(
// CHECK:         memref.transpose
// CHECK-COUNT-4: vector.load %{{.*}} vector<4xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store %{{.*}} vector<4xf32>
func.func @across(%x: memref<64x4xf32>, %to: memref<4x64xf32>) {
  linalg.generic {indexing_maps = [#trans, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x4xf32>) outs(%to : memref<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.addf %a, %a : f32
    linalg.yield %e : f32
  }
  return
}

// A body with a branch stays, too.
// CHECK-LABEL: func.func @branch(
// CHECK:         linalg.generic
func.func @branch(%x: memref<4x64xf32>, %c: i1) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%x : memref<4x64xf32>) {
  ^bb0(%o: f32):
    %r = scf.if %c -> f32 {
      scf.yield %o : f32
    } else {
      %e = arith.addf %o, %o : f32
      scf.yield %e : f32
    }
    linalg.yield %r : f32
  }
  return
}
