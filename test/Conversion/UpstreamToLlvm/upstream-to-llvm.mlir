// What is left of upstream's dialects becomes LLVM's in one conversion: an index
// passes from one dialect to another without a cast.

// RUN: triton-shared-opt %s --upstream-to-llvm | FileCheck %s --implicit-check-not=unrealized_conversion_cast

// An index is made by arithmetic, counted by blocks, and used by memory.

// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: %[[N:[^,]*]]: i64) -> f32
// CHECK: llvm.br ^[[HEAD:.*]](
// CHECK: ^[[HEAD]](%[[I:.*]]: i64, %[[SUM:.*]]: f32):
// CHECK: %[[AGAIN:.*]] = llvm.icmp "slt" %[[I]], %[[N]] : i64
// CHECK: llvm.cond_br %[[AGAIN]]
// CHECK: llvm.getelementptr {{.*}}[%[[I]]]
// CHECK: llvm.load
// CHECK: llvm.intr.exp
// CHECK: llvm.return %[[SUM]] : f32
func.func @sum(%memory: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  cf.br ^head(%zero, %start : index, f32)
^head(%i: index, %sum: f32):
  %again = arith.cmpi slt, %i, %n : index
  cf.cond_br %again, ^body, ^end
^body:
  %x = memref.load %memory[%i] : memref<?xf32>
  %e = math.exp %x : f32
  %next_sum = arith.addf %sum, %e : f32
  %next = arith.addi %i, %one : index
  cf.br ^head(%next, %next_sum : index, f32)
^end:
  return %sum : f32
}

// Divisions that round down become ones that do not.

// CHECK-LABEL: llvm.func @round_down
// CHECK: llvm.sdiv
// CHECK-NOT: floordivsi
func.func @round_down(%a: i32, %b: i32) -> i32 {
  %quotient = arith.floordivsi %a, %b : i32
  return %quotient : i32
}

// Kernels of a GPU have their functions, and vectors.

// CHECK-LABEL: gpu.module @kernels
// CHECK: llvm.func @kernel
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: llvm.mlir.poison : i32
gpu.module @kernels {
  llvm.func @kernel(%a: vector<4xf32>) -> vector<4xf32> {
    %sum = arith.addf %a, %a : vector<4xf32>
    %unknown = ub.poison : i32
    llvm.return %sum : vector<4xf32>
  }
}
