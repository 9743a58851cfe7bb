// RUN: triton-shared-opt %s --triton-tensors-to-linalg --verify-diagnostics

// The order of a cat is free, but not so free that it changes two dimensions.
func.func @cat_of_another_shape(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<2x16xf32> {
  // expected-error @below {{'tt.cat' op has no lowering to linalg}}
  // expected-note @below {{not supported}}
  // expected-note @below {{compute the value with other operations}}
  %0 = tt.cat %x, %y : tensor<4x4xf32> -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
