// RUN: triton-shared-opt %s --triton-exact-floats --verify-diagnostics --split-input-file

// What depends on how a float is stored has no exact form.

tt.func @bits(%x: f32) {
  // expected-error @below {{'tt.bitcast' op takes bits for a float, or those of a float for something else, and has no exact form}}
  // expected-note @below {{integers take the place of floats}}
  // expected-note @below {{compare this kernel within bounds}}
  %0 = tt.bitcast %x : f32 -> i32
  tt.return
}

// -----

tt.func @address(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.ptr_to_int' op takes the address of a float for a number}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @assembly(%x: f32) {
  // expected-error @below {{'tt.elementwise_inline_asm' op holds assembly for floats of one type}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.elementwise_inline_asm "neg.f32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  tt.return
}

// -----

tt.func @other_function(%x: f32) {
  // expected-error @below {{'tt.extern_elementwise' op calls 'mine', which is not known to have a form in f64}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "mine"} : (f32) -> f32
  tt.return
}

// -----

tt.func @asks(%x: f32) {
  // expected-error @below {{'tt.extern_elementwise' op makes integers by a function of a library}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (f32) -> i32
  tt.return
}

// -----

tt.func @updates(%p: !tt.ptr<f32>, %x: f32, %m: i1) {
  // expected-error @below {{'tt.atomic_cas' op compares or combines floats in memory}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<f32>, f32, f32) -> f32
  tt.return
}

// -----

tt.func @scaled(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op multiplies floats of one format}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @signs(%x: f32) {
  // expected-error @below {{'math.copysign' op does something with floats that has no rule}}
  // expected-note @below {{integers take}}
  // expected-note @below {{compare this}}
  %0 = math.copysign %x, %x : f32
  tt.return
}
