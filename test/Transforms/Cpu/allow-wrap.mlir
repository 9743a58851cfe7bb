// RUN: triton-shared-opt %s --cpu-allow-wrap | FileCheck %s

// CHECK-LABEL: llvm.func @address(
// CHECK-NEXT:    llvm.mul %arg1, %arg1 : i64
// CHECK-NEXT:    llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
llvm.func @address(%p: !llvm.ptr, %i: i64) -> !llvm.ptr {
  %0 = llvm.mul %i, %i overflow<nsw, nuw> : i64
  %1 = llvm.getelementptr inbounds|nuw %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return %1 : !llvm.ptr
}
