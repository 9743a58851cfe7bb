// RUN: triton-shared-opt %s --add-llvm-debug-info --mlir-print-debuginfo | FileCheck %s
// RUN: triton-shared-opt %s --add-llvm-debug-info --add-llvm-debug-info --mlir-print-debuginfo | FileCheck %s
// RUN: triton-shared-opt %s --add-llvm-debug-info --triton-to-linalg-experimental --mlir-print-debuginfo | FileCheck %s

// A function has a scope at its line, once, and keeps it on the way to linalg.
// CHECK:      #[[FILE:.*]] = #llvm.di_file<"kernel.py" in "/home/me">
// CHECK:      #[[UNIT:.*]] = #llvm.di_compile_unit<{{.*}}file = #[[FILE]], producer = "triton-shared"
// CHECK:      #[[SCOPE:.*]] = #llvm.di_subprogram<{{.*}}compileUnit = #[[UNIT]], {{.*}}name = "kernel", linkageName = "kernel", file = #[[FILE]], line = 7, scopeLine = 7
// CHECK:      = loc(fused<#[[SCOPE]]>[
// CHECK-NOT:  fused<#
tt.func @kernel(%p: !tt.ptr<i32>, %v: i32) {
  tt.store %p, %v : !tt.ptr<i32> loc("/home/me/kernel.py":9:3)
  tt.return
} loc("/home/me/kernel.py":7:1)
