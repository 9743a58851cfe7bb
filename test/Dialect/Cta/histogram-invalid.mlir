// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// A histogram has one row of counts and a mask for each element.

func.func @rows(%x: tensor<8xi32>) {
  // expected-error @+1 {{gives one row of counts, not 'tensor<2x2xi32>'}}
  %0 = cta.histogram %x : tensor<8xi32> -> tensor<2x2xi32>
  return
}

// -----

func.func @mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{has a mask of another shape than its source}}
  %0 = cta.histogram %x mask %m : tensor<4xi1> : tensor<8xi32> -> tensor<4xi32>
  return
}
