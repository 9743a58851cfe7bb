// A condition that is compared as a number with zero or one stays a condition; with any other number it is one.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 --split-input-file | FileCheck %s

// The bit of the lane is a condition, too.
// CHECK-LABEL: .entry flip(
// CHECK:         setp.gt.f32 %[[GREATER:p[0-9]+]]
// CHECK-NOT:     selp.b32
// CHECK:         xor.pred
// CHECK-NOT:     selp.b32
// CHECK:         selp.f32
tt.func public @flip(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %at = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bases = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %ptrs = tt.addptr %bases, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %others = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %other_ptrs = tt.addptr %others, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %ptrs : tensor<32x!tt.ptr<f32>>
  %y = tt.load %other_ptrs : tensor<32x!tt.ptr<f32>>
  %two = arith.constant dense<2> : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %half = arith.shrui %at, %two : tensor<32xi32>
  %bit = arith.andi %half, %one : tensor<32xi32>
  %greater = arith.cmpf ogt, %x, %y : tensor<32xf32>
  %number = arith.extui %greater : tensor<32xi1> to tensor<32xi32>
  %differ = arith.cmpi ne, %number, %bit : tensor<32xi32>
  %taken = arith.select %differ, %y, %x : tensor<32xi1>, tensor<32xf32>
  tt.store %ptrs, %taken : tensor<32x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: .entry compare(
// CHECK-NOT:     xor.pred
// CHECK:         setp.{{eq|ne}}
// CHECK-NOT:     xor.pred
// CHECK:         ret;
tt.func public @compare(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %at = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bases = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %ptrs = tt.addptr %bases, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %others = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %other_ptrs = tt.addptr %others, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %x = tt.load %ptrs : tensor<32x!tt.ptr<f32>>
  %y = tt.load %other_ptrs : tensor<32x!tt.ptr<i32>>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %greater = arith.cmpf ogt, %x, %zero : tensor<32xf32>
  %number = arith.extui %greater : tensor<32xi1> to tensor<32xi32>
  %differ = arith.cmpi ne, %number, %y : tensor<32xi32>
  %taken = arith.select %differ, %zero, %x : tensor<32xi1>, tensor<32xf32>
  tt.store %ptrs, %taken : tensor<32x!tt.ptr<f32>>
  tt.return
}
