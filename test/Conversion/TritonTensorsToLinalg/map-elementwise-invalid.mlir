// RUN: triton-shared-opt %s --triton-tensors-to-linalg --verify-diagnostics

// A region of several blocks has to be structured first.
func.func @several_blocks(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @below {{'tt.map_elementwise' op has no lowering to linalg}}
  // expected-note @below {{not supported}}
  // expected-note @below {{compute the value with other operations}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    cf.br ^bb1
  ^bb1:
    tt.map_elementwise.return %a : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
