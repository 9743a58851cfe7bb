// RUN: triton-shared-opt %s --triton-explain-accesses --split-input-file --verify-diagnostics | FileCheck %s

// Every access of a block gets one remark; nothing changes.

// CHECK-LABEL: tt.func @tile(
// CHECK:         tts.gather
tt.func @tile(%p: !tt.ptr<f32> loc("p"), %stride: i32 loc("stride"), %n: i32 loc("n")) -> tensor<8x4xf32> {
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8x1xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %x = arith.addi %starts, %rows : tensor<8x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<8x1xi32>
  %scaled = arith.muli %x, %strides : tensor<8x1xi32>
  %r = tt.broadcast %scaled : tensor<8x1xi32> -> tensor<8x4xi32>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c = tt.broadcast %cols : tensor<1x4xi32> -> tensor<8x4xi32>
  %sum = arith.addi %r, %c : tensor<8x4xi32>
  %o = arith.extsi %sum : tensor<8x4xi32> to tensor<8x4xi64>
  %ns = tt.splat %n : i32 -> tensor<8x1xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<8x1xi32>
  %mask = tt.broadcast %m : tensor<8x1xi1> -> tensor<8x4xi1>
  // expected-remark @below {{strided load; stride stride, from 0 to n - 8 * program_id(0); stride 1}}
  %t = tts.gather %p[%o] mask %mask : tensor<8x4xi1> : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// The culprit is the first value on the way that has no structure.
tt.func @indirect(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) -> tensor<8xi32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-note @+2 {{this value is itself read from memory}}
  // expected-remark @+1 {{strided load; stride 1}}
  %index = tts.gather %q[%o] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
  %sum = arith.addi %index, %i : tensor<8xi32>
  %at = arith.extsi %sum : tensor<8xi32> to tensor<8xi64>
  // expected-remark @+2 {{gathered load}}
  // expected-note @+1 {{what it reads is known at run time only; a range computed with tl.arange would be strided}}
  %t = tts.gather %p[%at] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
  tt.return %t : tensor<8xi32>
}

// -----

// A mask that is no bound is named with its reason.
tt.func @residual(%p: !tt.ptr<f32>, %t: tensor<8xf32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  // expected-note @below {{the mask stays a tensor, because this value does not compare one index with a scalar}}
  %mask = arith.cmpi ne, %i, %ns : tensor<8xi32>
  // expected-remark @below {{strided store; stride 1}}
  tts.scatter %t to %p[%o] mask %mask : tensor<8xi1> : tensor<8xf32>, !tt.ptr<f32>, tensor<8xi64>
  tt.return
}

// -----

// What is structured already is described from the operation.
tt.func @done(%p: !tt.ptr<f32>, %n: i64) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : i64
  // expected-remark @below {{wrapped load; stride 1, wrapped; stride ?, bounded}}
  %t = tts.load %p[%c0] strides [1, %n] wrap [0] from (%c0) size (%n) bounds [1] from (%c0) to (%n) : !tt.ptr<f32> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// Integers that are stored besides saying where are computed; those that only
// say where need not be.
tt.func @data(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %t: tensor<8xf32>) {
  // expected-remark @below {{these integers are data, too, and not only say where memory is accessed: they are computed}}
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided store; stride 1}}
  tts.scatter %i to %p[%o] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
  %j = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %r = arith.extsi %j : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided store; stride 1}}
  tts.scatter %t to %q[%r] : tensor<8xf32>, !tt.ptr<f32>, tensor<8xi64>
  tt.return
}
