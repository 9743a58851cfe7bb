// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

func.func @no_dimension(%x: tensor<8xi8>) -> tensor<8x2xf32> {
  // expected-error@+1 {{'cta.unpack_e2m1' op has no dimension 2 in its result}}
  %0 = cta.unpack_e2m1 %x dim 2 : tensor<8xi8> -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

func.func @other_shape(%x: tensor<8xi8>) -> tensor<8x2xf32> {
  // expected-error@+1 {{'cta.unpack_e2m1' op adds a dimension of size 2, number 0}}
  %0 = cta.unpack_e2m1 %x dim 0 : tensor<8xi8> -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

func.func @other_type(%x: tensor<8xi8>) -> tensor<8x2xf16> {
  // expected-error@+1 {{'cta.unpack_e2m1' op makes bf16 or f32 of bytes}}
  %0 = cta.unpack_e2m1 %x dim 1 : tensor<8xi8> -> tensor<8x2xf16>
  return %0 : tensor<8x2xf16>
}

// -----

#bytes = #cta.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>
#apart = #cta.layout<register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [0, 0], [0, 0], [0, 0]], warp = []>
func.func @other_layout(%x: tensor<8xi8, #bytes>) -> tensor<8x2xf32, #apart> {
  // expected-error@+1 {{'cta.unpack_e2m1' op has a tile of layout}}
  %0 = cta.unpack_e2m1 %x dim 1 : tensor<8xi8, #bytes> -> tensor<8x2xf32, #apart>
  return %0 : tensor<8x2xf32, #apart>
}
