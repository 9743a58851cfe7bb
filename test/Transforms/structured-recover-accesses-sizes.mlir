// RUN: triton-shared-opt %s --structured-recover-accesses --split-input-file | FileCheck %s

// The block wraps only if it starts at an index that is not negative, and so
// only if what the program id is divided by is not: it is taken for a size.
// CHECK-LABEL: tt.func @wrapped(
// CHECK-SAME:    %{{.*}}: i32 {tts.size}, %[[S:.*]]: i32)
// CHECK:         tts.load {{.*}} wrap [0]
tt.func @wrapped(%p: !tt.ptr<f32>, %n: i32, %s: i32) -> tensor<16xf32> {
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %q = arith.divsi %pid, %n : i32
  %start = arith.muli %q, %c16 : i32
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %at = arith.addi %starts, %range : tensor<16xi32>
  %sizes = tt.splat %s : i32 -> tensor<16xi32>
  %rest = arith.remsi %at, %sizes : tensor<16xi32>
  %wide = arith.extsi %rest : tensor<16xi32> to tensor<16xi64>
  %v = tts.gather %p[%wide] : !tt.ptr<f32>, tensor<16xi64> -> tensor<16xf32>
  tt.return %v : tensor<16xf32>
}

// -----

// Strided either way: nothing is taken for granted.
// CHECK-LABEL: tt.func @strided(
// CHECK-NOT:     tts.size
// CHECK:         tts.load {{.*}} strides [1] :
tt.func @strided(%p: !tt.ptr<f32>, %n: i32) -> tensor<16xf32> {
  %pid = tt.get_program_id x : i32
  %q = arith.divsi %pid, %n : i32
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %starts = tt.splat %q : i32 -> tensor<16xi32>
  %at = arith.addi %starts, %range : tensor<16xi32>
  %wide = arith.extsi %at : tensor<16xi32> to tensor<16xi64>
  %v = tts.gather %p[%wide] : !tt.ptr<f32>, tensor<16xi64> -> tensor<16xf32>
  tt.return %v : tensor<16xf32>
}

// -----

// A mask that says nothing about sizes is dropped, and the size marked.
// CHECK-LABEL: tt.func @masked(
// CHECK-SAME:    %{{.*}}: i32 {tts.size})
// CHECK:         tts.load %{{.*}} strides [1] :
tt.func @masked(%p: !tt.ptr<f32>, %n: i32) -> tensor<16xf32> {
  %c-1 = arith.constant dense<-1> : tensor<16xi32>
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %q = arith.divsi %range, %ns : tensor<16xi32>
  %mask = arith.cmpi sge, %q, %c-1 : tensor<16xi32>
  %wide = arith.extsi %range : tensor<16xi32> to tensor<16xi64>
  %v = tts.gather %p[%wide] mask %mask : tensor<16xi1> : !tt.ptr<f32>, tensor<16xi64> -> tensor<16xf32>
  tt.return %v : tensor<16xf32>
}
