// RUN: triton-shared-opt %s --triton-explain-accesses --split-input-file --verify-diagnostics

// What the mask analysis finds, in the words of --triton-explain-accesses.

// A window: lower and upper bounds, the scalar on either side.
tt.func @window(%p: !tt.ptr<f32>, %lo: i32 loc("lo"), %hi: i32 loc("hi")) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %los = tt.splat %lo : i32 -> tensor<8xi32>
  %his = tt.splat %hi : i32 -> tensor<8xi32>
  %from = arith.cmpi sle, %los, %i : tensor<8xi32>
  %to = arith.cmpi sgt, %his, %i : tensor<8xi32>
  %mask = arith.andi %from, %to : tensor<8xi1>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride 1, from lo to hi}}
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Two upper bounds; one compares every other element.
tt.func @both(%p: !tt.ptr<f32>, %m: i32 loc("m"), %n: i32 loc("n")) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %twice = arith.muli %i, %two : tensor<8xi32>
  %ms = tt.splat %m : i32 -> tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %a = arith.cmpi slt, %i, %ms : tensor<8xi32>
  %b = arith.cmpi slt, %twice, %ns : tensor<8xi32>
  %mask = arith.andi %a, %b : tensor<8xi1>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride 1, from 0 to min(m, (n + 1) // 2)}}
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// A loaded mask stays a tensor beside the bounds.
tt.func @loaded(%p: !tt.ptr<f32>, %q: !tt.ptr<i8>, %n: i32 loc("n")) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride 1}}
  %bytes = tts.gather %q[%o] : !tt.ptr<i8>, tensor<8xi64> -> tensor<8xi8>
  // expected-note @below {{the mask stays a tensor, because this value is not a comparison of indices}}
  %flags = arith.trunci %bytes : tensor<8xi8> to tensor<8xi1>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %in = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %mask = arith.andi %flags, %in : tensor<8xi1>
  // expected-remark @below {{strided load; stride 1, from 0 to n}}
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Rows against columns: a triangle is not a box.
tt.func @triangle(%p: !tt.ptr<f32>) -> tensor<8x8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %cols = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %r = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x8xi32>
  %c = tt.broadcast %cols : tensor<1x8xi32> -> tensor<8x8xi32>
  // expected-note @below {{the mask stays a tensor, because this value does not compare one index with a scalar}}
  %mask = arith.cmpi sge, %r, %c : tensor<8x8xi32>
  %eight = arith.constant dense<8> : tensor<8x8xi32>
  %scaled = arith.muli %r, %eight : tensor<8x8xi32>
  %sum = arith.addi %scaled, %c : tensor<8x8xi32>
  %o = arith.extsi %sum : tensor<8x8xi32> to tensor<8x8xi64>
  // expected-remark @below {{strided load; stride 8; stride 1}}
  %t = tts.gather %p[%o] mask %mask : tensor<8x8xi1> : !tt.ptr<f32>, tensor<8x8xi64> -> tensor<8x8xf32>
  tt.return %t : tensor<8x8xf32>
}
