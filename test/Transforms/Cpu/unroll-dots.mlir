// RUN: triton-shared-opt %s --cpu-unroll-dots --split-input-file | FileCheck %s
// RUN: triton-shared-opt %s --cpu-unroll-dots="depth=32" --split-input-file | FileCheck %s --check-prefix=SHALLOW

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// A turn does two: 128 elements together. Where it ends is computed in 64 bits, and is not before
// the begin. Then come the turns that are left.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[BEGIN:[^ ]*]]: i32, %[[END:[^ ]*]]: i32, %[[STEP:[^ ]*]]: i32
// CHECK:         %[[FROM:.*]] = arith.extsi %[[BEGIN]] : i32 to i64
// CHECK:         %[[TO:.*]] = arith.extsi %[[END]] : i32 to i64
// CHECK:         %[[NOT_BEFORE:.*]] = arith.maxsi %[[TO]], %[[FROM]]
// CHECK:         %[[DISTANCE:.*]] = arith.subi %[[NOT_BEFORE]], %[[FROM]]
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
// CHECK:         %[[DOUBLE:.*]] = arith.muli %[[WIDE]], %c2{{.*}} : i64
// CHECK:         %[[TURNS:.*]] = arith.divsi %[[DISTANCE]], %[[DOUBLE]]
// CHECK:         %[[SOME:.*]] = arith.maxsi %[[TURNS]], %c0
// CHECK:         %[[COVERED:.*]] = arith.muli %[[SOME]], %[[DOUBLE]]
// CHECK:         %[[LAST:.*]] = arith.addi %[[FROM]], %[[COVERED]]
// CHECK:         %[[MIDDLE:.*]] = arith.trunci %[[LAST]] : i64 to i32
// CHECK:         %[[MAIN:.*]]:2 = scf.for %[[I:.*]] = %[[BEGIN]] to %[[MIDDLE]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[PLACE:.*]] = %{{.*}})
// CHECK:           %[[ONE:.*]] = linalg.generic {{.*}} outs(%[[SUM]] :
// CHECK:           %[[BEHIND:.*]] = arith.addi %[[PLACE]], %[[I]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           %[[TWO:.*]] = linalg.generic {{.*}} outs(%[[ONE]] :
// CHECK:           %[[THERE:.*]] = arith.addi %[[BEHIND]], %[[NEXT]]
// CHECK:           scf.yield %[[TWO]], %[[THERE]]
// CHECK:         scf.for %{{.*}} = %[[MIDDLE]] to %[[END]] step %[[STEP]] iter_args(%{{.*}} = %[[MAIN]]#0, %{{.*}} = %[[MAIN]]#1)
// CHECK-COUNT-1:   linalg.generic
// CHECK-NOT:       linalg.generic
// CHECK:         return
// SHALLOW-LABEL: func.func @sum(
// SHALLOW-COUNT-1: scf.for
// SHALLOW-NOT:     scf.for
// SHALLOW:       return
func.func @sum(%begin: i32, %end: i32, %step: i32, %x: tensor<16x64xbf16>, %y: tensor<64x16xbf16>,
               %zero: tensor<16x16xf32>) -> (tensor<16x16xf32>, i32) {
  %c0 = arith.constant 0 : i32
  %r:2 = scf.for %i = %begin to %end step %step iter_args(%sum = %zero, %place = %c0) -> (tensor<16x16xf32>, i32) : i32 {
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16x64xbf16>, tensor<64x16xbf16>) outs(%sum : tensor<16x16xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %wl = arith.extf %l : bf16 to f32
      %wr = arith.extf %r : bf16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    %there = arith.addi %place, %i : i32
    scf.yield %next, %there : tensor<16x16xf32>, i32
  }
  return %r#0, %r#1 : tensor<16x16xf32>, i32
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// No more turns at once than there are.
// CHECK-LABEL: func.func @three(
// CHECK:         scf.for
// CHECK-COUNT-3:   linalg.generic
// CHECK-NOT:       linalg.generic
// CHECK:           scf.yield
// CHECK:         scf.for
func.func @three(%x: tensor<16x16xbf16>, %y: tensor<16x16xbf16>, %zero: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%sum : tensor<16x16xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %wl = arith.extf %l : bf16 to f32
      %wr = arith.extf %r : bf16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#e = affine_map<(d0, d1) -> (d0, d1)>

// What is done to the sum besides, other numbers, few rows, and loops in the loop leave it as it is.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-5: scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @others(%n: index, %x: tensor<16x16xbf16>, %y: tensor<16x16xbf16>, %h: tensor<16x16xf16>,
                  %z: tensor<2x16xbf16>, %zero: tensor<16x16xf32>, %few: tensor<2x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16xf32>, tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scaled = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %half = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]}
      outs(%sum : tensor<16x16xf32>) {
    ^bb0(%o: f32):
      %s = arith.mulf %o, %o : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%half : tensor<16x16xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %wl = arith.extf %l : bf16 to f32
      %wr = arith.extf %r : bf16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %halves = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %h : tensor<16x16xf16>, tensor<16x16xf16>) outs(%sum : tensor<16x16xf32>) {
    ^bb0(%l: f16, %r: f16, %o: f32):
      %wl = arith.extf %l : f16 to f32
      %wr = arith.extf %r : f16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %rows = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %few) -> (tensor<2x16xf32>) {
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %y : tensor<2x16xbf16>, tensor<16x16xbf16>) outs(%sum : tensor<2x16xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %wl = arith.extf %l : bf16 to f32
      %wr = arith.extf %r : bf16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<2x16xf32>
    scf.yield %next : tensor<2x16xf32>
  }
  %nested = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %k = scf.for %j = %c0 to %i step %c1 iter_args(%m = %i) -> (index) {
      %o = arith.addi %m, %j : index
      scf.yield %o : index
    }
    %part = tensor.extract_slice %x[%k, 0] [16, 16] [1, 1] : tensor<16x16xbf16> to tensor<16x16xbf16>
    %next = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%part, %y : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%sum : tensor<16x16xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %wl = arith.extf %l : bf16 to f32
      %wr = arith.extf %r : bf16 to f32
      %p = arith.mulf %wl, %wr : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %scaled, %halves, %rows, %nested
    : tensor<16x16xf32>, tensor<16x16xf32>, tensor<2x16xf32>, tensor<16x16xf32>
}
