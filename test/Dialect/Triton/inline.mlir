// RUN: triton-shared-opt %s --inline | FileCheck %s

// Upstream's inliner takes calls of `tt` apart, too.
// CHECK-LABEL: tt.func public @caller(
// CHECK-NOT:     tt.call
// CHECK:         %[[SUM:.*]] = arith.addi %arg0, %arg0 : i32
// CHECK:         tt.return %[[SUM]] : i32
tt.func private @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  tt.return %0 : i32
}
tt.func public @caller(%x: i32) -> i32 {
  %0 = tt.call @twice(%x) : (i32) -> i32
  tt.return %0 : i32
}
