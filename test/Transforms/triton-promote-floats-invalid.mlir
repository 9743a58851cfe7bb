// RUN: triton-shared-opt %s --triton-promote-floats --verify-diagnostics --split-input-file

// What depends on how a float is stored has no form in f64.

tt.func @bits(%x: f32) -> i32 {
  // expected-error @below {{'tt.bitcast' op takes the bits of a float for something else, and has no form in f64}}
  // expected-note @below {{results of this kernel have no reference in f64}}
  // expected-note @below {{compare two targets}}
  %0 = tt.bitcast %x : f32 -> i32
  tt.return %0 : i32
}

// -----

tt.func @other_elements(%p: !tt.ptr<bf16>) -> !tt.ptr<f16> {
  // expected-error @below {{'tt.bitcast' op takes the bits of a float for something else}}
  // expected-note @below {{no reference}}
  // expected-note @below {{compare two targets}}
  %0 = tt.bitcast %p : !tt.ptr<bf16> -> !tt.ptr<f16>
  tt.return %0 : !tt.ptr<f16>
}

// -----

tt.func @address(%p: !tt.ptr<f32>) -> i64 {
  // expected-error @below {{'tt.ptr_to_int' op takes the address of a float for a number}}
  // expected-note @below {{no reference}}
  // expected-note @below {{compare two targets}}
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  tt.return %0 : i64
}

// -----

tt.func @assembly(%x: f32) -> f32 {
  // expected-error @below {{'tt.elementwise_inline_asm' op holds assembly for floats of one type}}
  // expected-note @below {{no reference}}
  // expected-note @below {{compare two targets}}
  %0 = tt.elementwise_inline_asm "neg.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  tt.return %0 : f32
}

// -----

tt.func @scaled(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{'tt.dot_scaled' op multiplies floats of one format}}
  // expected-note @below {{no reference}}
  // expected-note @below {{compare two targets}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %0 : tensor<16x16xf32>
}

// -----

tt.func @function(%x: f32) -> i32 {
  // expected-error @below {{calls '__nv_float2int_rn', which is not known to have a form in f64}}
  // expected-note @below {{no reference}}
  // expected-note @below {{compare two targets}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rn"} : (f32) -> i32
  tt.return %0 : i32
}
