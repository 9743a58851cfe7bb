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

// -----

// The end of a flattened block is whole rows, or it stays a mask.
tt.func @flattened_end(%p: !tt.ptr<f32>, %s: i32 loc("s")) -> (tensor<32xf32>, tensor<32xf32>) {
  %pid = tt.get_program_id x : i32
  %c32 = arith.constant 32 : i32
  %start = arith.muli %pid, %c32 : i32
  %starts = tt.splat %start : i32 -> tensor<32xi32>
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %x = arith.addi %starts, %i : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %row = arith.divsi %x, %four : tensor<32xi32>
  %col = arith.remsi %x, %four : tensor<32xi32>
  %strides = tt.splat %s : i32 -> tensor<32xi32>
  %scaled = arith.muli %row, %strides : tensor<32xi32>
  %sum = arith.addi %scaled, %col : tensor<32xi32>
  %o = arith.extsi %sum : tensor<32xi32> to tensor<32xi64>
  %c240 = arith.constant dense<240> : tensor<32xi32>
  %c241 = arith.constant dense<241> : tensor<32xi32>
  %even = arith.cmpi slt, %x, %c240 : tensor<32xi32>
  // expected-note @below {{the mask stays a tensor, because this value does not compare one index with a scalar}}
  %odd = arith.cmpi slt, %x, %c241 : tensor<32xi32>
  // expected-remark @below {{strided load; stride s, from 0 to -8 * program_id(0) + 60; stride 1; as a block of 8x4}}
  %t = tts.gather %p[%o] mask %even : tensor<32xi1> : !tt.ptr<f32>, tensor<32xi64> -> tensor<32xf32>
  // expected-remark @below {{strided load; stride s; stride 1; as a block of 8x4}}
  %u = tts.gather %p[%o] mask %odd : tensor<32xi1> : !tt.ptr<f32>, tensor<32xi64> -> tensor<32xf32>
  tt.return %t, %u : tensor<32xf32>, tensor<32xf32>
}

// -----

// Sums of data wrap around, which their bounds in 64 bits would not: the mask
// stays. What is read from memory and compared as it is, is a condition.
tt.func @data(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32 loc("n")) -> (tensor<1xi32>, tensor<1xi32>) {
  %i = tt.make_range {start = 0 : i32, end = 1 : i32} : tensor<1xi32>
  %o = arith.extsi %i : tensor<1xi32> to tensor<1xi64>
  // expected-remark @below {{strided load; stride 0}}
  %x = tts.gather %q[%o] : !tt.ptr<i32>, tensor<1xi64> -> tensor<1xi32>
  %ns = tt.splat %n : i32 -> tensor<1xi32>
  %is = arith.cmpi slt, %x, %ns : tensor<1xi32>
  // expected-remark @below {{strided load; stride 0}}
  %a = tts.gather %p[%o] mask %is : tensor<1xi1> : !tt.ptr<i32>, tensor<1xi64> -> tensor<1xi32>
  %twice = arith.addi %x, %x : tensor<1xi32>
  // expected-note @below {{the mask stays a tensor, because}}
  %sum = arith.cmpi slt, %twice, %ns : tensor<1xi32>
  // expected-remark @below {{strided load; stride 0}}
  %b = tts.gather %p[%o] mask %sum : tensor<1xi1> : !tt.ptr<i32>, tensor<1xi64> -> tensor<1xi32>
  tt.return %a, %b : tensor<1xi32>, tensor<1xi32>
}
