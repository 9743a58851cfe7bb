// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Descriptors and block pointers that do not fit.

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{'tt.make_tensor_ptr' op has 1 sizes for a block with 2 dimensions}}
  %0 = tt.make_tensor_ptr %p, [%s], [%s], [%n] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{'tt.make_tensor_ptr' op has the order [1], which is no permutation of the dimensions}}
  %0 = tt.make_tensor_ptr %p, [%s], [%s], [%n] {order = array<i32: 1>} : <tensor<8xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{must be a pointer to a block}}
  %0 = tt.make_tensor_ptr %p, [%s], [%s], [%n] {order = array<i32: 0>} : <f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<8x4xf32>>, %n: i32) {
  // expected-error @below {{'tt.advance' op has 1 offsets for a block with 2 dimensions}}
  %0 = tt.advance %p, [%n] : <tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{'tt.make_tensor_descriptor' op has 1 sizes for a block with 2 dimensions}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <4x8xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{'tt.make_tensor_descriptor' op has a base that points to 'f32', but blocks of 'f16'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <8xf16>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64, %q: !tt.ptr<i32>) {
  // expected-error @below {{'tt.make_tensor_descriptor' op pads with NaN, which 'i32' does not have}}
  %0 = tt.make_tensor_descriptor %q, [%n], [%s] {padding = 2 : i32} : <i32>, <8xsi32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_load' op has 1 indices for a block with 2 dimensions}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<1x16xf32> -> tensor<1x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_load' op has a value of type 'tensor<1x16xf16>', but the descriptor has blocks of type 'tensor<1x16xf32>'}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<1x16xf32> -> tensor<1x16xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_load' op operand #0 must be}}
  %0 = tt.descriptor_load %i[%i, %i] : i32 -> tensor<1x16xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_store' op has a value of type 'tensor<1x16xf32>', but the descriptor has blocks of type 'tensor<4x16xf32>'}}
  tt.descriptor_store %d2[%i, %i], %v : !tt.tensordesc<4x16xf32>, tensor<1x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_reduce' op can not apply 'xor' to 'f32'}}
  tt.descriptor_reduce xor, %d[%i, %i], %v : !tt.tensordesc<1x16xf32>, tensor<1x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_gather' op needs a descriptor with blocks of one row, but they are of type 'tensor<4x16xf32>'}}
  %0 = tt.descriptor_gather %d2[%rows, %i] : (!tt.tensordesc<4x16xf32>, tensor<4xi32>, i32) -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_gather' op has a value of type 'tensor<8x16xf32>', but the rows make a block of type 'tensor<4x16xf32>'}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<1x16xf32>, tensor<4xi32>, i32) -> tensor<8x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %i: i32, %rows: tensor<4x1xi32>) {
  // expected-error @below {{'tt.descriptor_gather' op needs a list of rows, but got 'tensor<4x1xi32>'}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<1x16xf32>, tensor<4x1xi32>, i32) -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<1x16xf32>, %d2: !tt.tensordesc<4x16xf32>, %i: i32, %v: tensor<1x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'tt.descriptor_scatter' op has a value of type 'tensor<1x16xf32>', but the rows make a block of type 'tensor<4x16xf32>'}}
  tt.descriptor_scatter %d[%rows, %i], %v : !tt.tensordesc<1x16xf32>, tensor<4xi32>, i32, tensor<1x16xf32>
  tt.return
}
