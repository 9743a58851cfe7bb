// RUN: triton-shared-opt %s --cpu-fuse-elementwise | FileCheck %s

// Each block of a chain is read twice: by what follows and by a sum. What costs
// little is computed again, but not from the first block on: after nine
// operations one is kept, and the next ones begin there.
// CHECK-LABEL: func.func @chain(
// CHECK:         %[[KEPT:.*]] = linalg.generic {{.*}}["parallel"]} ins(%arg0,
// CHECK-COUNT-9:   arith.subf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic {{.*}} ins(%[[KEPT]],
// CHECK:         linalg.generic {{.*}} ins(%[[KEPT]],
// CHECK-NOT:     ins(%arg0
// CHECK:         return
#id = affine_map<(d0) -> (d0)>
#number = affine_map<(d0) -> ()>
func.func @chain(%a0: tensor<64xf32>, %m: f32) -> (tensor<f32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %zero = arith.constant 0.0 : f32
  %n = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%n : tensor<f32>) -> tensor<f32>
  %a1 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a0, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s1 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a1 : tensor<64xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a2 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a1, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s2 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a2 : tensor<64xf32>) outs(%s1 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a3 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a2, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s3 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a3 : tensor<64xf32>) outs(%s2 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a4 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a3, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s4 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a4 : tensor<64xf32>) outs(%s3 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a5 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a4, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s5 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a5 : tensor<64xf32>) outs(%s4 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a6 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a5, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s6 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a6 : tensor<64xf32>) outs(%s5 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a7 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a6, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s7 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a7 : tensor<64xf32>) outs(%s6 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a8 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a7, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s8 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a8 : tensor<64xf32>) outs(%s7 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a9 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a8, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s9 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a9 : tensor<64xf32>) outs(%s8 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a10 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a9, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s10 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a10 : tensor<64xf32>) outs(%s9 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a11 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a10, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s11 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a11 : tensor<64xf32>) outs(%s10 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %a12 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel"]}
      ins(%a11, %m : tensor<64xf32>, f32) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %s12 = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["reduction"]}
      ins(%a12 : tensor<64xf32>) outs(%s11 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.addf %x, %o : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  return %s12, %a12 : tensor<f32>, tensor<64xf32>
}
