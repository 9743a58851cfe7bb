// RUN: triton-shared-opt %s --linalg-to-vector | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Lanes take a branch together that is right for all of them.
// CHECK-LABEL: func.func @branch(
// CHECK:         %[[CONDITION:.*]] = arith.cmpf uge, {{.*}} : vector<[[LANES:.*]]xf32>
// CHECK:         %[[ANY:.*]] = vector.reduction <or>, %[[CONDITION]] : vector<[[LANES]]xi1> into i1
// CHECK:         %[[RESULT:.*]] = scf.if %[[ANY]] -> (vector<[[LANES]]xf32>) {
// CHECK:           %[[RARE:.*]] = arith.divf {{.*}} : vector<[[LANES]]xf32>
// CHECK:           %[[CHOSEN:.*]] = arith.select %[[CONDITION]], %[[RARE]]
// CHECK:           scf.yield %[[CHOSEN]]
// CHECK:         } else {
// CHECK:         vector.store %[[RESULT]]
func.func @branch(%x: memref<64xf32>, %out: memref<64xf32>) {
  %large = arith.constant 1.0e6 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %usual = arith.mulf %in, %in : f32
    %is = arith.cmpf uge, %in, %large : f32
    %r = scf.if %is -> (f32) {
      %rare = arith.divf %large, %in : f32
      %chosen = arith.select %is, %rare, %usual : f32
      scf.yield %chosen : f32
    } else {
      scf.yield %usual : f32
    } {tts.for_any_lane}
    linalg.yield %r : f32
  }
  return
}

// Any other branch is taken by each element.
// CHECK-LABEL: func.func @branch_of_one(
// CHECK:         linalg.generic
func.func @branch_of_one(%x: memref<64xf32>, %out: memref<64xf32>) {
  %large = arith.constant 1.0e6 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %is = arith.cmpf uge, %in, %large : f32
    %r = scf.if %is -> (f32) {
      %rare = arith.divf %large, %in : f32
      scf.yield %rare : f32
    } else {
      scf.yield %in : f32
    }
    linalg.yield %r : f32
  }
  return
}
