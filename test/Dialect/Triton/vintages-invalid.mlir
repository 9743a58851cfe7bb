// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Texts of versions that are not understood say so.

tt.func @splat(%x: !tt.ptr<bf16>) {
  // expected-error @below {{expected 'type -> type', without parentheses}}
  // expected-note @below {{this is how Triton 2 wrote TTIR; understood is that of Triton 3.5 to 3.9}}
  %0 = tt.splat %x : (!tt.ptr<bf16>) -> tensor<128x!tt.ptr<bf16>>
  tt.return
}

// -----

tt.func @broadcast(%x: tensor<1x8xf32>) {
  // expected-error @below {{expected 'type -> type', without parentheses}}
  // expected-note @below {{this is how Triton 2 wrote TTIR}}
  %0 = tt.broadcast %x : (tensor<1x8xf32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @expand_dims(%x: tensor<8xf32>) {
  // expected-error @below {{expected 'type -> type', without parentheses}}
  // expected-note @below {{this is how Triton 2 wrote TTIR}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : (tensor<8xf32>) -> tensor<1x8xf32>
  tt.return
}

// -----

tt.func @missing_arrow(%x: f32) {
  // expected-error @below {{expected '->'}}
  %0 = tt.splat %x : f32
  tt.return
}
