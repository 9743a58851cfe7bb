// RUN: triton-shared-opt %s --triton-explain-accesses --split-input-file --verify-diagnostics

// What the pointer analysis finds in tensors of offsets, in the words of
// --triton-explain-accesses.

// A dimension without a term repeats itself.
tt.func @broadcast(%p: !tt.ptr<f32>) -> tensor<8x4xf32> {
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c = tt.broadcast %cols : tensor<1x4xi32> -> tensor<8x4xi32>
  %o = arith.extsi %c : tensor<8x4xi32> to tensor<8x4xi64>
  // expected-remark @below {{broadcast load; stride 0; stride 1}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// Rows and columns of a flattened block, taken apart by its width.
tt.func @flattened(%p: !tt.ptr<f32>, %s: i32 loc("s")) -> tensor<8x4xf32> {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %x = tt.reshape %i : tensor<32xi32> -> tensor<8x4xi32>
  %four = arith.constant dense<4> : tensor<8x4xi32>
  %row = arith.divsi %x, %four : tensor<8x4xi32>
  %col = arith.remsi %x, %four : tensor<8x4xi32>
  %strides = tt.splat %s : i32 -> tensor<8x4xi32>
  %scaled = arith.muli %col, %strides : tensor<8x4xi32>
  %sum = arith.addi %scaled, %row : tensor<8x4xi32>
  %o = arith.extsi %sum : tensor<8x4xi32> to tensor<8x4xi64>
  // expected-remark @below {{transposed load; stride 1; stride s}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// The same without the block around it.
tt.func @line(%p: !tt.ptr<f32>, %s: i32 loc("s")) -> tensor<32xf32> {
  %x = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %row = arith.divsi %x, %four : tensor<32xi32>
  %col = arith.remsi %x, %four : tensor<32xi32>
  %strides = tt.splat %s : i32 -> tensor<32xi32>
  %scaled = arith.muli %col, %strides : tensor<32xi32>
  %sum = arith.addi %scaled, %row : tensor<32xi32>
  %o = arith.extsi %sum : tensor<32xi32> to tensor<32xi64>
  // expected-remark @below {{transposed load; stride 1; stride s; as a block of 8x4}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<32xi64> -> tensor<32xf32>
  tt.return %t : tensor<32xf32>
}

// -----

// Unsigned operations may mean the wrap-around at 2^32.
tt.func @unsigned(%p: !tt.ptr<f32>, %n: i32) -> tensor<8xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %x = arith.addi %i, %ns : tensor<8xi32>
  // expected-note @below {{this value is computed by 'arith.extui', which has no affine form}}
  %o = arith.extui %x : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{gathered load}}
  // expected-note @below {{one term per dimension}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// A term of both dimensions is no stride.
tt.func @product(%p: !tt.ptr<f32>) -> tensor<8x4xf32> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %r = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x4xi32>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %c = tt.broadcast %cols : tensor<1x4xi32> -> tensor<8x4xi32>
  // expected-note @below {{this value multiplies two values that vary over the block}}
  %x = arith.muli %r, %c : tensor<8x4xi32>
  %o = arith.extsi %x : tensor<8x4xi32> to tensor<8x4xi64>
  // expected-remark @below {{gathered load}}
  // expected-note @below {{one term per dimension}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8x4xi64> -> tensor<8x4xf32>
  tt.return %t : tensor<8x4xf32>
}

// -----

// Unsigned sums and products are taken to fit, as signed ones are: what is not
// negative is extended as it is.
tt.func @unsigned_place(%p: !tt.ptr<f32>) -> tensor<8xf32> {
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %o = arith.extui %x : tensor<8xi32> to tensor<8xi64>
  // expected-remark @below {{strided load; stride 1}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}

// -----

// Whole rows are taken apart even if what counts the rows is then by index.
tt.func @rows_by_index(%p: !tt.ptr<f32>) -> tensor<64xf32> {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %c5 = arith.constant dense<5> : tensor<64xi32>
  %c100 = arith.constant dense<100> : tensor<64xi32>
  %column = arith.remsi %i, %c8 : tensor<64xi32>
  %row = arith.divsi %i, %c8 : tensor<64xi32>
  %wrapped = arith.remsi %row, %c5 : tensor<64xi32>
  %page = arith.divsi %row, %c5 : tensor<64xi32>
  %pages = arith.muli %page, %c100 : tensor<64xi32>
  %rows = arith.muli %wrapped, %c8 : tensor<64xi32>
  %sum = arith.addi %rows, %column : tensor<64xi32>
  %all = arith.addi %sum, %pages : tensor<64xi32>
  // expected-note @below {{this value divides by 5 an index whose 8 values are not whole rows of that}}
  %o = arith.extsi %all : tensor<64xi32> to tensor<64xi64>
  // expected-remark @+2 {{partly gathered load; stride 1, by index; stride 1; as a block of 8x8}}
  // expected-note @+1 {{a range for the rows and one for the columns}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<64xi64> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// -----

// A size that is no divisor of the block leaves no rows to find.
tt.func @odd_rows(%p: !tt.ptr<f32>) -> tensor<64xf32> {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c5 = arith.constant dense<5> : tensor<64xi32>
  %row = arith.divsi %i, %c5 : tensor<64xi32>
  // expected-note @below {{this value divides by 5 an index whose 64 values are not whole rows of that}}
  %o = arith.extsi %row : tensor<64xi32> to tensor<64xi64>
  // expected-remark @+2 {{gathered load}}
  // expected-note @+1 {{a range for the rows and one for the columns}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<64xi64> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// -----

// Nor does one that is known at run time only.
tt.func @runtime_rows(%p: !tt.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %row = arith.divsi %i, %ns : tensor<64xi32>
  // expected-note @below {{this value divides an index by a size that is known at run time only}}
  %o = arith.extsi %row : tensor<64xi32> to tensor<64xi64>
  // expected-remark @+2 {{gathered load}}
  // expected-note @+1 {{a range for the rows and one for the columns}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<64xi64> -> tensor<64xf32>
  tt.return %t : tensor<64xf32>
}

// -----

// A large factor is that of a hash, whose wrap-around is meant.
tt.func @unsigned_hash(%p: !tt.ptr<f32>) -> tensor<8xf32> {
  %pid = tt.get_program_id x : i32
  %prime = arith.constant 16777619 : i32
  %start = arith.muli %pid, %prime : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  // expected-note @below {{this value is computed by 'arith.extui', which has no affine form}}
  %o = arith.extui %x : tensor<8xi32> to tensor<8xi64>
  // expected-remark @+2 {{gathered load}}
  // expected-note @+1 {{an offset with one term per dimension}}
  %t = tts.gather %p[%o] : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  tt.return %t : tensor<8xf32>
}
