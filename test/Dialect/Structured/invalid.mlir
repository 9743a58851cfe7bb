// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

func.func @strides(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{has 1 strides for a block of rank 2}}
  %0 = tts.load %p[%o] strides [1] : !tt.ptr<f32> -> tensor<8x4xf32>
  return
}

// -----

func.func @element(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{accesses elements of type 'f16' through a base of 'f32'}}
  %0 = tts.load %p[%o] strides [1] : !tt.ptr<f32> -> tensor<8xf16>
  return
}

// -----

func.func @boolean(%p: !tt.ptr<i1>, %o: i64) {
  // expected-error @below {{accesses 'i1', which lies in memory as 'i8'}}
  %0 = tts.load %p[%o] strides [1] : !tt.ptr<i1> -> tensor<8xi1>
  return
}

// -----

func.func @mask(%p: !tt.ptr<f32>, %o: i64, %m: tensor<4xi1>) {
  // expected-error @below {{has a mask of type 'tensor<4xi1>' for a block of type 'tensor<8xf32>'}}
  %0 = tts.load %p[%o] strides [1] mask %m : tensor<4xi1> : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @other(%p: !tt.ptr<f32>, %o: tensor<8xi64>, %x: f16) {
  // expected-error @below {{has 'other' of type 'f16' for a block of type 'tensor<8xf32>'}}
  %0 = tts.gather %p[%o] other %x : f16 : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
  return
}

// -----

func.func @dims(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{names bounded dimension 2; they must ascend and lie within the rank of 1}}
  %0 = tts.load %p[%o] strides [1] bounds [2] from (%o) to (%o) : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @gathered(%p: !tt.ptr<f32>, %o: i64, %x: tensor<4xi64>) {
  // expected-error @below {{gathers dimension 0 of size 8 by 'tensor<4xi64>'}}
  %0 = tts.load %p[%o] strides [1] gather [0] by (%x : tensor<4xi64>) : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @kind(%p: !tt.ptr<f32>, %o: i64, %x: f32) {
  // expected-error @below {{computes 'add' on elements of type 'f32'}}
  %0 = tts.atomic_rmw add relaxed gpu %x at %p[%o] : f32, !tt.ptr<f32>, i64
  return
}

// -----

func.func @lists(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{has 1 bounded dimensions but 0 operands for them}}
  %0 = "tts.load"(%p, %o) <{static_strides = array<i64: 1>, bounded_dims = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}> : (!tt.ptr<f32>, i64) -> tensor<8xf32>
  return
}

// -----

func.func @pair(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{has a pair of operand lists of different length}}
  %0 = "tts.load"(%p, %o, %o) <{static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 0, 0, 0>}> : (!tt.ptr<f32>, i64, i64) -> tensor<8xf32>
  return
}

// -----

func.func @wrapped_and_gathered(%p: !tt.ptr<f32>, %o: i64, %x: tensor<8xi64>) {
  // expected-error @below {{both wraps and gathers dimension 0}}
  %0 = "tts.load"(%p, %o, %o, %o, %x) <{static_strides = array<i64: 1>, wrapped_dims = array<i64: 0>, gathered_dims = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 1, 0, 0, 0, 0>}> : (!tt.ptr<f32>, i64, i64, i64, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @unknown_size(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{needs a block of static shape, got 'tensor<?xf32>'}}
  %0 = tts.load %p[%o] strides [1] : !tt.ptr<f32> -> tensor<?xf32>
  return
}

// -----

func.func @no_number(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{accesses a number or a block of numbers, got 'vector<8xf32>'}}
  %0 = tts.load %p[%o] strides [] : !tt.ptr<f32> -> vector<8xf32>
  return
}

// -----

// expected-error @below {{has the argument 0 for a hidden parameter that nobody knows: "grid.w"}}
// expected-note @below {{KernelSignature.h says what hidden parameters are}}
func.func @unknown_hidden_parameter(%g: i32 {tts.parameter = "grid.w"}) {
  return
}

// -----

// expected-error @below {{has the written parameter 1 behind the hidden parameter 'grid.x'}}
// expected-note @below {{hidden parameters stand behind all others}}
func.func @hidden_before_written(%g: i32 {tts.parameter = "grid.x"}, %n: i32) {
  return
}
