// 32 elements of two rows are more than the 64 registers of each of 1024 threads: they are loaded when they are added up. Fewer are loaded at once.

// RUN: triton-shared-opt %s --target=cuda:90a --num-warps=32 --to-phase=ptx | FileCheck %s

// CHECK:     .entry many(
// CHECK:     ld.global.v4
// CHECK:     fma.rn.f32
// CHECK:     ld.global.v4
// CHECK:     fma.rn.f32
// CHECK:     bar.sync
// CHECK:     .entry few(
// CHECK-NOT: fma.rn.f32
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT: ld.global.v4
// CHECK:     bar.sync

tt.func public @many(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
  %at = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %px = tt.addptr %xs, %at : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %a = tt.load %px : tensor<65536x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %py = tt.addptr %ys, %at : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %b = tt.load %py : tensor<65536x!tt.ptr<f32>>
  %products = arith.mulf %a, %b : tensor<65536xf32>
  %sum = "tt.reduce"(%products) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<65536xf32>) -> f32
  tt.store %out, %sum : !tt.ptr<f32>
  tt.return
}
tt.func public @few(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
  %at = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
  %px = tt.addptr %xs, %at : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
  %a = tt.load %px : tensor<8192x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
  %py = tt.addptr %ys, %at : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
  %b = tt.load %py : tensor<8192x!tt.ptr<f32>>
  %products = arith.mulf %a, %b : tensor<8192xf32>
  %sum = "tt.reduce"(%products) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<8192xf32>) -> f32
  tt.store %out, %sum : !tt.ptr<f32>
  tt.return
}
