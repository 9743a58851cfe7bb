// What the verifiers of products and of their instructions reject.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{the sizes of an instruction are written as in m16n8k16}}
func.func @instruction() attributes {x = #cta.mma<n16, f16>} { return }

// -----

// expected-error @below {{an instruction is written as in <m16n8k16, f16>}}
func.func @instruction_type() attributes {x = #cta.mma<m16n8k16, index>} { return }

// -----

// expected-error @below {{expected 'registers'}}
func.func @wgmma() attributes {x = #cta.wgmma<m64n16k16, f16>} { return }

// -----

func.func @instruction_type(%a: tensor<16x16xbf16>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{is no product that #cta.mma<m16n8k16, f16> computes}}
  %0 = cta.dot %a, %b, %c : tensor<16x16xbf16>, tensor<16x8xbf16> -> tensor<16x8xf32> by #cta.mma<m16n8k16, f16>
  return
}

// -----

func.func @instruction_shape(%a: tensor<16x8xf16>, %b: tensor<8x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{is no product that #cta.mma<m16n8k16, f16> computes}}
  %0 = cta.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x8xf16> -> tensor<16x8xf32> by #cta.mma<m16n8k16, f16>
  return
}

// -----

#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[0, 1], [8, 0]], lane = [[2, 0], [4, 0], [1, 0], [0, 2], [0, 4]], warp = []>
#c = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
func.func @instruction_layout(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error @below {{has tiles that do not lie where #cta.mma<m16n8k16, f16> takes them}}
  %0 = cta.dot %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
  return
}

// -----

func.func @wgmma_shape(%a: tensor<32x16xf16>, %b: tensor<16x16xf16>, %c: tensor<32x16xf32>) {
  // expected-error @below {{is no product that #cta.wgmma<m64n16k16> computes}}
  %0 = cta.dot %a, %b, %c : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32> by #cta.wgmma<m64n16k16>
  return
}

// -----

#rows = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @wgmma_buffer(%a: !cta.buffer<1, 64x16xf16, #rows>, %b: !cta.buffer<1, 16x16xf16, #lines>, %c: tensor<64x16xf32, #c>, %slot: i32) {
  // expected-error @below {{has operands that do not lie where #cta.wgmma<m64n16k16> takes them}}
  %0 = cta.dot %a[%slot], %b[%slot], %c : !cta.buffer<1, 64x16xf16, #rows>, !cta.buffer<1, 16x16xf16, #lines> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
  return
}

// -----

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>
func.func @mma_of_buffers(%a: tensor<16x16xf16>, %b: !cta.buffer<1, 16x16xf16, #lines>, %c: tensor<16x16xf32>, %slot: i32) {
  // expected-error @below {{by #cta.mma<m16n8k16, f16> takes its operands from registers}}
  %0 = cta.dot %a, %b[%slot], %c : tensor<16x16xf16>, !cta.buffer<1, 16x16xf16, #lines> -> tensor<16x16xf32> by #cta.mma<m16n8k16, f16>
  return
}

// -----

#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>
func.func @buffer_without_slot(%a: tensor<16x16xf16>, %b: !cta.buffer<1, 16x16xf16, #lines>, %c: tensor<16x16xf32>) {
  // expected-error @below {{takes a slot of each buffer, and of nothing else}}
  %0 = cta.dot %a, %b, %c : tensor<16x16xf16>, !cta.buffer<1, 16x16xf16, #lines> -> tensor<16x16xf32>
  return
}

// -----

func.func @goes_on(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{goes on only by #cta.wgmma}}
  %0 = cta.dot %a, %b, %c goes_on : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @imprecise(%a: tensor<16x16xf8E5M2>, %b: tensor<16x16xf8E5M2>, %c: tensor<16x16xf32>) {
  // expected-error @below {{attribute 'imprecise' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0 = cta.dot %a, %b, %c imprecise 0 : tensor<16x16xf8E5M2>, tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  return
}

// -----

func.func @partial_sums(%a: tensor<64x64xf8E5M2>, %b: tensor<64x16xf8E5M2>, %c: tensor<64x16xf32>) {
  // expected-error @below {{has partial sums to add, and cannot go on}}
  %0 = cta.dot %a, %b, %c imprecise 64 goes_on : tensor<64x64xf8E5M2>, tensor<64x16xf8E5M2> -> tensor<64x16xf32> by #cta.wgmma<m64n16k32>
  return
}
