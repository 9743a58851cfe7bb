// RUN: triton-shared-opt %s --triton-derive-bounds --split-input-file --verify-diagnostics

// A mask that floats decide may be another one on another target.
tt.func @mask(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'arith.cmpf' op decides a mask, a branch or an integer by floats, and no bound is derived}}
  // expected-note @below {{how far off results may be follows from operations whose rounding is known}}
  // expected-note @below {{compare this kernel within the bound that diff chooses, without --error-bound derived}}
  %0 = arith.cmpf ogt, %x, %x : f32
  tt.store %p, %x, %0 : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @integer(%p: !tt.ptr<i32>, %x: f32) {
  // expected-error @below {{'arith.fptosi' op makes integers of floats, and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = arith.fptosi %x : f32 to i32
  tt.store %p, %0 : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @atomic(%p: !tt.ptr<f32>, %x: f32, %m: i1) {
  // expected-error @below {{'tt.atomic_rmw' op combines floats in memory, and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x, %m : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}

// -----

tt.func @function(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.extern_elementwise' op calls '__nv_j0f', and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (f32) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @remainder(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'arith.remf' op has no rule for rounding, and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = arith.remf %x, %x : f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

// What is combined by a product has a bound in each order.
tt.func @product(%p: !tt.ptr<f32>, %x: tensor<8xf32>) {
  // expected-error @below {{'tt.reduce' op combines floats by more than one sum, and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %1 = arith.mulf %l, %r : f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @dot(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot' op multiplies in several parts of bf16, and no bound is derived}}
  // expected-note @below {{how far off}}
  // expected-note @below {{compare this kernel}}
  %0 = tt.dot %a, %a, %c, inputPrecision = bf16x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %p, %0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
