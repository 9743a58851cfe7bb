// What has no form on tiles is said, and that the CPU can do it.
// RUN: triton-shared-opt %s --linalg-to-cta --split-input-file --verify-diagnostics

func.func @along_a_loop(%a: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{has no form on tiles for the GPU yet}}
  // expected-note @below {{the CPU can run this kernel: use device "cpu"}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%s : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.addf %sum, %x : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @size(%p: memref<*xf32>, %o: i64) {
  // expected-error @below {{makes a block of type 'tensor<12xf32>'}}
  // expected-note @below {{blocks on the GPU have powers of two as sizes; use a mask for the rest}}
  %0 = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<12xf32>
  tts.store %0 to %p[%o] strides [1] : tensor<12xf32>, memref<*xf32>
  return
}

// -----

// expected-error @below {{'func.func' op uses memory space 3 : i64, for which no machine code is made}}
// expected-note @below {{use pointers to global memory, as '!tt.ptr<f32>', or go on from '--triton-to-linalg' yourself}}
func.func @space_of_an_address(%a: i64, %o: i64) -> f32 {
  // expected-note @below {{this points there}}
  %p = tts.from_address %a : memref<*xf32, 3>
  %0 = tts.load %p[%o] strides [] : memref<*xf32, 3> -> f32
  return %0 : f32
}
