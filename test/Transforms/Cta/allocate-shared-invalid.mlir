// A kernel that needs more shared memory than a block of its GPU has says who needs it.
// RUN: triton-shared-opt %s --cta-allocate-shared --split-input-file --verify-diagnostics

#a = #cta.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #cta.layout<register = [[1], [2], [4], [8], [16], [32], [64], [128]], lane = [[448], [512], [1024], [2048], [4096]], warp = [[8192]]>

// Lanes stand for the bits that registers hold on both sides: there are no rounds. Two at most are named, the larger one first.
// expected-error @below {{kernel 'exchanges' needs 131072 bytes of shared memory, a block of this GPU has 101376}}
// expected-note @below {{use smaller blocks, narrower types, or fewer stages (num_stages)}}
func.func @exchanges(%x: tensor<16384xf64, #a>, %h: tensor<16384xf32, #a>) -> (tensor<16384xf64, #b>, tensor<16384xf32, #b>)
    attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_86">} {
  // expected-note @below {{moving this block between threads takes 65536 bytes}}
  %0 = cta.convert_layout %h : tensor<16384xf32, #a> -> tensor<16384xf32, #b>
  // expected-note @below {{moving this block between threads takes 131072 bytes}}
  %1 = cta.convert_layout %x : tensor<16384xf64, #a> -> tensor<16384xf64, #b>
  return %1, %0 : tensor<16384xf64, #b>, tensor<16384xf32, #b>
}

// -----

#s = #cta.shared<[[1], [2], [4], [8], [16], [32], [64], [128], [256]]>

// All that there is may be used: 163 KiB where no other GPU is named.
func.func @fits() attributes {cta.num_warps = 2 : i32} {
  %0 = cta.alloc : <163, 512xf16, #s>
  return
}

// -----

#s = #cta.shared<[[1], [2], [4], [8], [16], [32], [64], [128], [256]]>

// expected-error @below {{kernel 'does_not_fit' needs 167936 bytes of shared memory, a block of this GPU has 166912}}
// expected-note @below {{use smaller blocks}}
func.func @does_not_fit() attributes {cta.num_warps = 2 : i32} {
  // expected-note @below {{this block takes 167936 bytes}}
  %0 = cta.alloc : <164, 512xf16, #s>
  return
}

// -----

#s = #cta.shared<[[1], [2], [4], [8], [16], [32], [64], [128], [256]]>

func.func @fits_on_hopper() attributes {cta.num_warps = 2 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = cta.alloc : <227, 512xf16, #s>
  return
}
