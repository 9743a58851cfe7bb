// What a kernel assumes of a value is known of it, in the block that computes it.
// RUN: triton-shared-opt %s --structured-recover-accesses --split-input-file | FileCheck %s

// An argument, and a sum whose parts may be negative.
// CHECK-LABEL: tt.func @not_negative(
// CHECK-COUNT-2: tts.load {{.*}} wrap [0]
tt.func @not_negative(%p: !tt.ptr<f32>, %n: i32, %start: i32, %a: i32, %b: i32) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : i32
  %minus = arith.constant -1 : i32
  %c0 = arith.cmpi sge, %start, %zero : i32
  %sum = arith.addi %a, %b : i32
  %c1 = arith.cmpi sgt, %sum, %minus : i32
  %both = arith.andi %c0, %c1 : i1
  llvm.intr.assume %both : i1
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %s0 = tt.splat %start : i32 -> tensor<8xi32>
  %x0 = arith.addi %s0, %i : tensor<8xi32>
  %w0 = arith.remsi %x0, %ns : tensor<8xi32>
  %o0 = arith.extsi %w0 : tensor<8xi32> to tensor<8xi64>
  %t0 = tts.gather %p[%o0] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  %s1 = tt.splat %sum : i32 -> tensor<8xi32>
  %x1 = arith.addi %s1, %i : tensor<8xi32>
  %w1 = arith.remsi %x1, %ns : tensor<8xi32>
  %o1 = arith.extsi %w1 : tensor<8xi32> to tensor<8xi64>
  %t1 = tts.gather %p[%o1] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t0, %t1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Other limits do not help, and what is assumed in a branch holds there alone.
// CHECK-LABEL: tt.func @perhaps_negative(
// CHECK-COUNT-3: tts.gather
tt.func @perhaps_negative(%p: !tt.ptr<f32>, %n: i32, %a: i32, %b: i32, %c: i32, %yes: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.cmpi sle, %a, %zero : i32
  llvm.intr.assume %c0 : i1
  %minus = arith.constant -1 : i32
  %c1 = arith.cmpi sge, %b, %minus : i32
  llvm.intr.assume %c1 : i1
  scf.if %yes {
    %c2 = arith.cmpi sge, %c, %zero : i32
    llvm.intr.assume %c2 : i1
  }
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %s0 = tt.splat %a : i32 -> tensor<8xi32>
  %x0 = arith.addi %s0, %i : tensor<8xi32>
  %w0 = arith.remsi %x0, %ns : tensor<8xi32>
  %o0 = arith.extsi %w0 : tensor<8xi32> to tensor<8xi64>
  %t0 = tts.gather %p[%o0] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  %s1 = tt.splat %b : i32 -> tensor<8xi32>
  %x1 = arith.addi %s1, %i : tensor<8xi32>
  %w1 = arith.remsi %x1, %ns : tensor<8xi32>
  %o1 = arith.extsi %w1 : tensor<8xi32> to tensor<8xi64>
  %t1 = tts.gather %p[%o1] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  %s2 = tt.splat %c : i32 -> tensor<8xi32>
  %x2 = arith.addi %s2, %i : tensor<8xi32>
  %w2 = arith.remsi %x2, %ns : tensor<8xi32>
  %o2 = arith.extsi %w2 : tensor<8xi32> to tensor<8xi64>
  %t2 = tts.gather %p[%o2] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t0, %t1, %t2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
