// RUN: triton-shared-opt %s --triton-explain-accesses --split-input-file --verify-diagnostics

// What values are called in bounds and strides.

// The front end gives all operations of a statement the name of its result:
// here that of `first = tl.program_id(0) * 8`, which is not the program's id.
tt.func @on_the_way(%p: !tt.ptr<f32>, %n: i32 loc("n")) -> tensor<8xf32> {
  %id = tt.get_program_id x : i32 loc("first"("k.py":1:1))
  %eight = arith.constant 8 : i32
  %first = arith.muli %id, %eight : i32 loc("first"("k.py":1:1))
  %left = arith.subi %n, %first : i32 loc("left"("k.py":2:1))
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %lefts = tt.splat %left : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %lefts : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride 1, from 0 to n - 8 * program_id(0)}}
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// That of `last = tl.load(q).to(tl.int64)` is what was loaded.
tt.func @cast(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>) -> tensor<8xf32> {
  %loaded = tt.load %q : !tt.ptr<i32> loc("last"("k.py":1:1))
  %last = arith.extsi %loaded : i32 to i64 loc("last"("k.py":1:1))
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %lasts = tt.splat %last : i64 -> tensor<8xi64>
  %mask = arith.cmpi slt, %o, %lasts : tensor<8xi64>
  // expected-remark @below {{strided load; stride 1, from 0 to last}}
  %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// A loop with several results has the name of one of them, perhaps; a loop's
// variable has none.
tt.func @loop(%p: !tt.ptr<f32>, %n: i32 loc("n")) -> (tensor<8xf32>, tensor<8xf32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<8xf32>
  %sum, %end = scf.for %k = %zero to %n step %one iter_args(%a = %none, %b = %zero) -> (tensor<8xf32>, i32) : i32 {
    %ks = tt.splat %k : i32 -> tensor<8xi32>
    %mask = arith.cmpi slt, %i, %ks : tensor<8xi32>
    // expected-remark @below {{strided load; stride 1, from 0 to scalar}}
    %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    %next = arith.muli %b, %k : i32
    scf.yield %t, %next : tensor<8xf32>, i32
  } loc("sum"("k.py":3:1))
  %ends = tt.splat %end : i32 -> tensor<8xi32>
  %far = arith.muli %i, %ends : tensor<8xi32>
  %fars = arith.extsi %far : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride scalar}}
  %u = tts.gather %p[%fars] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %sum, %u : tensor<8xf32>, tensor<8xf32>
}

// -----

// What a loop carries is called as what comes in and what goes around are, if
// these are called the same.
tt.func @carried(%p: !tt.ptr<f32>, %n: i32, %m: i32 loc("m")) -> (i32, i32) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %zero = arith.constant 0 : i32 loc("row"("k.py":1:1))
  %one = arith.constant 1 : i32
  %twice = arith.constant 2 : i32
  %sum:2 = scf.for %k = %zero to %n step %one iter_args(%row = %zero, %other = %n) -> (i32, i32) : i32 {
    %left = arith.subi %m, %row : i32
    %lefts = tt.splat %left : i32 -> tensor<8xi32>
    %mask = arith.cmpi slt, %i, %lefts : tensor<8xi32>
    // expected-remark @below {{strided load; stride 1, from 0 to m - row}}
    %t = tts.gather %p[%o] mask %mask : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    %others = tt.splat %other : i32 -> tensor<8xi32>
    %live = arith.cmpi slt, %i, %others : tensor<8xi32>
    // expected-remark @below {{strided load; stride 1, from 0 to scalar}}
    %u = tts.gather %p[%o] mask %live : tensor<8xi1> : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    %both = arith.addf %t, %u : tensor<8xf32>
    // expected-remark @below {{strided store; stride 1}}
    tts.scatter %both to %p[%o] : tensor<8xf32>, !tt.ptr<f32>, tensor<8xi64>
    %next = arith.muli %row, %twice : i32 loc("row"("k.py":3:1))
    %after = arith.muli %other, %twice : i32 loc("other"("k.py":4:1))
    scf.yield %next, %after : i32, i32
  }
  tt.return %sum#0, %sum#1 : i32, i32
}
