// RUN: triton-shared-opt %s --linalg-mark-gpu-products="gpu=90a num-warps=4" --split-input-file --verify-diagnostics

// What the runtime cannot read is no product to repeat.
func.func @other(%a: tensor<64x32xf8E4M3FNUZ>, %b: tensor<32x64xf8E4M3FNUZ>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a matrix product of 'f8E4M3FNUZ' cannot be repeated bit by bit}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf8E4M3FNUZ>, tensor<32x64xf8E4M3FNUZ>)
         outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
