// RUN: triton-shared-opt %s --linalg-to-gpu | FileCheck %s

// A loop that counts in indices reaches the LLVM dialect: the branch that goes
// round hands over the type that the block takes.

// CHECK-LABEL: llvm.func @add_rows
// CHECK:         llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i64, vector<1xf32>)
// CHECK:       ^[[HEAD]](%{{.*}}: i64, %{{.*}}: vector<1xf32>)
// CHECK:         llvm.br ^[[HEAD]]
func.func @add_rows(%p: memref<*xf32>, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) {
  %z = arith.constant 0 : i64
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %n0 : i32 to index
  %x = tts.load %p[%z] strides [1] : memref<*xf32> -> tensor<32xf32>
  %e = tensor.empty() : tensor<32xf32>
  %r = scf.for %k = %c1 to %n step %c1 iter_args(%sum = %x) -> (tensor<32xf32>) {
    %o = arith.index_cast %k : index to i64
    %y = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<32xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sum, %y : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    scf.yield %s : tensor<32xf32>
  }
  tts.store %r to %p[%z] strides [1] : tensor<32xf32>, memref<*xf32>
  return
}
