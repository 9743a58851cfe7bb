// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Loads, stores and pointers that do not fit.

tt.func @f(%x: f32) {
  // expected-error @below {{'tt.load' op operand #0 must be}}
  %0 = tt.load %x : f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %m: i1, %x: f32) {
  // expected-error @below {{expected a pointer, and perhaps a mask and a value for where the mask is 0}}
  %0 = tt.load %p, %m, %x, %x : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected a pointer, and perhaps a mask and a value for where the mask is 0}}
  %0 = tt.load : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%ps: tensor<4x!tt.ptr<f32>>, %m: i1) {
  // expected-error @below {{'tt.load' op failed to verify that the mask has an i1 for each element}}
  %0 = "tt.load"(%ps, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tt.ptr<f32>>, i1) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%ps: tensor<4x!tt.ptr<f32>>) {
  // expected-error @below {{'tt.load' op failed to verify that the result has the type that the pointer points to}}
  %0 = "tt.load"(%ps) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x!tt.ptr<f32>>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.load' op has a value for where the mask is 0, but no mask}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @f(%b: tensor<8x4xi1>, %bp: !tt.ptr<tensor<8x4xf32>>, %v: tensor<8x4xf32>) {
  // expected-error @below {{'tt.load' op has a mask, which a load through a block pointer can not have}}
  %0 = tt.load %bp, %b : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op has a padding, but '!tt.ptr<f32>' is no block pointer}}
  %0 = tt.load %p {padding = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op has a boundary check, but '!tt.ptr<f32>' is no block pointer}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%b: tensor<8x4xi1>, %bp: !tt.ptr<tensor<8x4xf32>>, %v: tensor<8x4xf32>) {
  // expected-error @below {{'tt.load' op checks dimension 2 of a block with 2 dimensions}}
  %0 = tt.load %bp {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%b: tensor<8x4xi1>, %bp: !tt.ptr<tensor<8x4xf32>>, %v: tensor<8x4xf32>) {
  // expected-error @below {{'tt.load' op checks dimension 1 twice}}
  %0 = tt.load %bp {boundaryCheck = array<i32: 1, 1>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%bp: !tt.ptr<tensor<8x4xf32>>) {
  // expected-error @below {{'tt.load' op attribute 'boundaryCheck' failed to satisfy constraint: i32 dense array attribute}}
  %0 = tt.load %bp {boundaryCheck = array<i64: 1>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{unknown value 'l2' of 'cacheModifier'}}
  %0 = tt.load %p cacheModifier = l2 : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected valid keyword}}
  %0 = tt.load %p evictionPolicy = 3 : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{cache hints are given twice}}
  %0 = tt.load %p cacheModifier = ca {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op attribute 'cachePolicy' failed to satisfy constraint}}
  %0 = tt.load %p {cachePolicy = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op has cache hints both in 'cachePolicy' and in 'cache' or 'evict'}}
  %0 = "tt.load"(%p) <{cache = 2 : i32, cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{Invalid attribute `cache` in property conversion: 9 : i32}}
  %0 = "tt.load"(%p) <{cache = 9 : i32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected a pointer, a value, and perhaps a mask}}
  tt.store %p : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %x: f16) {
  // expected-error @below {{'tt.store' op failed to verify that the value has the type that the pointer points to}}
  "tt.store"(%p, %x) : (!tt.ptr<f32>, f16) -> ()
  tt.return
}

// -----

tt.func @f(%b: tensor<8x4xi1>, %bp: !tt.ptr<tensor<8x4xf32>>, %v: tensor<8x4xf32>) {
  // expected-error @below {{'tt.store' op has a mask, which a store through a block pointer can not have}}
  tt.store %bp, %v, %b : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%b: tensor<8x4xi1>, %bp: !tt.ptr<tensor<8x4xf32>>, %v: tensor<8x4xf32>) {
  // expected-error @below {{'tt.store' op checks dimension -1 of a block with 2 dimensions}}
  tt.store %bp, %v {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %i: tensor<4xi32>) {
  // expected-error @below {{'tt.addptr' op }}
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, tensor<4xi32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.addptr' op operand #1 must be}}
  %0 = tt.addptr %p, %x : !tt.ptr<f32>, f32
  tt.return
}

// -----

tt.func @f(%i: i32) {
  // expected-error @below {{'tt.int_to_ptr' op operand #0 must be}}
  %0 = tt.int_to_ptr %i : i32 -> !tt.ptr<f32>
  tt.return
}
