// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Shapes that do not fit.

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.make_range' op goes from 4 to 4, which is no number}}
  %0 = tt.make_range {end = 4 : i32, start = 4 : i32} : tensor<1xi32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.make_range' op has 8 numbers, but the result is of type 'tensor<4xi32>'}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{attribute 'end' failed to satisfy constraint}}
  %0 = tt.make_range {end = 8 : i64, start = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.splat' op }}
  %0 = tt.splat %x : f32 -> tensor<8xf16>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.unsplat' op needs a block of one element, but got 'tensor<8xf32>'}}
  %0 = tt.unsplat %a : tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.expand_dims' op can not add dimension 2 to a block with 1 dimensions}}
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.expand_dims' op can not add dimension -1 to a block with 1 dimensions}}
  %0 = tt.expand_dims %a {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.expand_dims' op adds dimension 1 to 'tensor<8xf32>', which does not make 'tensor<1x8xf32>'}}
  %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.broadcast' op can not change the number of dimensions from 1 to 2}}
  %0 = tt.broadcast %a : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.broadcast' op can not repeat dimension 0, which has 8 elements, to 16}}
  %0 = tt.broadcast %a : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.reshape' op can not make 'tensor<4x4xf32>' of the elements of 'tensor<8xf32>'}}
  %0 = tt.reshape %a : tensor<8xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.reshape' op can not make 'tensor<?x4xf32>' of the elements of 'tensor<8xf32>'}}
  %0 = tt.reshape %a : tensor<8xf32> -> tensor<?x4xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.reshape' op }}
  %0 = tt.reshape %a : tensor<8xf32> -> tensor<2x4xf16>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.trans' op has the order [0, 0], which is no permutation of the dimensions of 'tensor<4x8xf32>'}}
  %0 = tt.trans %b {order = array<i32: 0, 0>} : tensor<4x8xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.trans' op has the order [1], which is no permutation of the dimensions of 'tensor<4x8xf32>'}}
  %0 = tt.trans %b {order = array<i32: 1>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.trans' op reorders the dimensions of 'tensor<4x8xf32>', which does not make 'tensor<4x8xf32>'}}
  %0 = tt.trans %b {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.cat' op can not make 'tensor<8xf32>' of two blocks of type 'tensor<8xf32>'}}
  %0 = tt.cat %a, %a : tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.join' op joins two blocks of type 'tensor<8xf32>', which does not make 'tensor<2x8xf32>'}}
  %0 = tt.join %a, %a : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.split' op can not split 'tensor<4x8xf32>' into two blocks of type 'tensor<4xf32>'}}
  %0, %1 = tt.split %b : tensor<4x8xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.gather' op gathers along dimension 2 of a block with 2 dimensions}}
  %0 = tt.gather %b[%k] {axis = 2 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.gather' op has the result 'tensor<4x8xf16>', but 'tensor<4x8xi32>' picks elements of 'tensor<4x8xf32>'}}
  %0 = tt.gather %b[%k] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf16>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.gather' op has the indices 'tensor<4x8xi32>', which differ from 'tensor<8xf32>' in more than dimension 0}}
  %0 = tt.gather %a[%k] {axis = 0 : i32} : (tensor<8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %b: tensor<4x8xf32>, %j: tensor<4x2xf32>, %i: tensor<8xi32>, %k: tensor<4x8xi32>) {
  // expected-error @below {{'tt.histogram' op needs blocks of one dimension, but has 'tensor<4x8xi32>' and 'tensor<8xi32>'}}
  %0 = tt.histogram %k : tensor<4x8xi32> -> tensor<8xi32>
  tt.return
}
