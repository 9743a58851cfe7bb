// What a kernel says about the alignment of pointers is kept at their loads.
// RUN: triton-shared-opt %s --triton-pointers-to-structured --structured-recover-accesses | FileCheck %s

// In a loop that moves the block on by a multiple, it holds in every turn.
// CHECK-LABEL: tt.func @in_a_loop(
// CHECK: scf.for
// CHECK: tts.load {{.*}} {tts.line_alignment = array<i64: 1, 16>}
// CHECK: tts.load {{.*}} {tts.line_alignment = array<i64: 1, 8>}
tt.func @in_a_loop(%places: !tt.ptr<i64>, %o: !tt.ptr<f32>, %n: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %place = tt.load %places : !tt.ptr<i64>
  %p = tt.int_to_ptr %place : i64 -> !tt.ptr<f32>
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ks = tt.splat %k : i32 -> tensor<8x1xi32>
  %rk = arith.muli %r, %ks : tensor<8x1xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %pr = tt.addptr %ps, %rk : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  %columns = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pb = tt.broadcast %pr : tensor<8x1x!tt.ptr<f32>> -> tensor<8x16x!tt.ptr<f32>>
  %cb = tt.broadcast %c : tensor<1x16xi32> -> tensor<8x16xi32>
  %a = tt.addptr %pb, %cb {tt.divisibility = dense<[1, 16]> : tensor<2xi32>} : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %step = arith.constant dense<16> : tensor<8x16xi32>
  %two = arith.constant 2 : i32
  %twice = arith.muli %k, %two : i32
  %steps = tt.splat %twice : i32 -> tensor<8x16xi32>
  %zeros = arith.constant dense<0.0> : tensor<8x16xf32>
  %s:3 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %a, %sum = %zeros) -> (tensor<8x16x!tt.ptr<f32>>, tensor<8x16x!tt.ptr<f32>>, tensor<8x16xf32>) : i32 {
    %u = tt.load %x : tensor<8x16x!tt.ptr<f32>>
    %v = tt.load %y : tensor<8x16x!tt.ptr<f32>>
    %s0 = arith.addf %sum, %u : tensor<8x16xf32>
    %s1 = arith.addf %s0, %v : tensor<8x16xf32>
    %x1 = tt.addptr %x, %step : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
    %y1 = tt.addptr %y, %steps : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
    scf.yield %x1, %y1, %s1 : tensor<8x16x!tt.ptr<f32>>, tensor<8x16x!tt.ptr<f32>>, tensor<8x16xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  tt.store %os, %s#2 : tensor<8x16x!tt.ptr<f32>>
  tt.return
}

// A block that is moved apart, or replaced, is another one.
// CHECK-LABEL: tt.func @no_longer(
// CHECK-NOT: line_alignment
tt.func @no_longer(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %at: tensor<16xi32>, %n: i32) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %a = tt.addptr %ps, %i {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%x = %a) -> (tensor<16x!tt.ptr<f32>>) : i32 {
    %b = tt.addptr %qs, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    scf.yield %b : tensor<16x!tt.ptr<f32>>
  }
  %u = tt.load %r : tensor<16x!tt.ptr<f32>>
  %b = tt.addptr %qs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %b : tensor<16x!tt.ptr<f32>>
  tt.return %u, %v : tensor<16xf32>, tensor<16xf32>
}

// Indices that are data may follow each other, by a hint; the least of both counts.
// CHECK-LABEL: tt.func @indices(
// CHECK: tts.load {{.*}} gather [1] {{.*}} {tts.index_runs = array<i64: 1, 8>}
// CHECK: tts.store {{.*}} gather [1] {{.*}} {tts.index_runs = array<i64: 1, 8>}
// CHECK-NOT: index_runs
tt.func @indices(%p: !tt.ptr<f32>, %n: i32) {
  %zeros = arith.constant dense<0> : tensor<64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %some = arith.select %inside, %i, %zeros {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<8> : tensor<1xi32>} : tensor<64xi1>, tensor<64xi32>
  %others = arith.select %inside, %zeros, %i {tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi1>, tensor<64xi32>
  %rows = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %nr = tt.splat %n : i32 -> tensor<4x1xi32>
  %start = arith.muli %r, %nr : tensor<4x1xi32>
  %starts = tt.broadcast %start : tensor<4x1xi32> -> tensor<4x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %pr = tt.addptr %ps, %starts : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %s1 = tt.expand_dims %some {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %sb = tt.broadcast %s1 : tensor<1x64xi32> -> tensor<4x64xi32>
  %a = tt.addptr %pr, %sb : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %o1 = tt.expand_dims %others {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ob = tt.broadcast %o1 : tensor<1x64xi32> -> tensor<4x64xi32>
  %b = tt.addptr %pr, %ob : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %x = tt.load %a : tensor<4x64x!tt.ptr<f32>>
  tt.store %a, %x : tensor<4x64x!tt.ptr<f32>>
  %y = tt.load %b : tensor<4x64x!tt.ptr<f32>>
  tt.store %b, %y : tensor<4x64x!tt.ptr<f32>>
  tt.return
}
