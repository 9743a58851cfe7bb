// A kernel that needs more shared memory than a block has says who needs it.
// RUN: triton-shared-opt %s --cta-allocate-shared=limit=1024 --split-input-file --verify-diagnostics

#a = #cta.layout<register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>

// Two at most are named, the larger one first.
// expected-error @below {{kernel 'exchanges' needs 1536 bytes of shared memory, a block of this GPU has 1024}}
// expected-note @below {{use smaller blocks, narrower types, or fewer stages (num_stages)}}
func.func @exchanges(%x: tensor<256xf32, #a>, %h: tensor<256xf16, #a>) -> (tensor<256xf32, #b>, tensor<256xf16, #b>) attributes {cta.num_warps = 2 : i32} {
  // expected-note @below {{moving this block between threads takes 512 bytes}}
  %0 = cta.convert_layout %h : tensor<256xf16, #a> -> tensor<256xf16, #b>
  // expected-note @below {{moving this block between threads takes 1024 bytes}}
  %1 = cta.convert_layout %x : tensor<256xf32, #a> -> tensor<256xf32, #b>
  return %1, %0 : tensor<256xf32, #b>, tensor<256xf16, #b>
}

// -----

#a = #cta.layout<register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>

// All that there is may be used.
func.func @fits(%x: tensor<256xf32, #a>) -> tensor<256xf32, #b> attributes {cta.num_warps = 2 : i32} {
  %0 = cta.convert_layout %x : tensor<256xf32, #a> -> tensor<256xf32, #b>
  return %0 : tensor<256xf32, #b>
}
