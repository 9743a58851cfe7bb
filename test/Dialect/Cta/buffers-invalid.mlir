// What the verifiers reject of tiles in shared memory.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{all bases of a layout have the same rank}}
#uneven = #cta.shared<[[0, 1], [2]]>
func.func @uneven(%b: !cta.buffer<1, 2x2xf16, #uneven>) { return }

// -----

// expected-error @below {{a layout of 2 dimensions is none of 1}}
func.func @rank(%b: !cta.buffer<1, 4xf16, #cta.shared<[[0, 1], [1, 0]]>>) { return }

// -----

// expected-error @below {{a buffer has slots of numbers}}
func.func @slots(%b: !cta.buffer<0, 4xf16, #cta.shared<[[1], [2]]>>) { return }

// -----

func.func @write(%x: tensor<8xf16>, %b: !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>, %slot: i32) {
  // expected-error @below {{writes 'tensor<8xf16>' into '!cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>'}}
  cta.write %x to %b[%slot] : tensor<8xf16> to !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>
  return
}

// -----

func.func @read_type(%b: !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>, %slot: i32) {
  // expected-error @below {{keeps the elements}}
  %0 = cta.read %b[%slot] [0] : !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>> -> tensor<4xf32>
  return
}

// -----

func.func @read_part(%b: !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>, %slot: i32) {
  // expected-error @below {{takes 2 elements of 4 from 1}}
  %0 = cta.read %b[%slot] [1] : !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>> -> tensor<2xf16>
  return
}

// -----

func.func @slice_rank(%x: tensor<4xf16>) {
  // expected-error @below {{keeps the rank}}
  %0 = cta.slice %x [0, 0] : tensor<4xf16> -> tensor<2xf16>
  return
}

// -----

func.func @insert_type(%x: tensor<4xf16>, %y: tensor<2xf32>) {
  // expected-error @below {{keeps the elements}}
  %0 = cta.insert_slice %y into %x [0] : tensor<2xf32> into tensor<4xf16>
  return
}

// -----

func.func @insert_between(%x: tensor<4xf16>, %y: tensor<2xf16>) {
  // expected-error @below {{takes 2 elements of 4 from 1}}
  %0 = cta.insert_slice %y into %x [1] : tensor<2xf16> into tensor<4xf16>
  return
}

// -----

#row = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#part = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>

func.func @insert_of_lanes(%x: tensor<32xf16, #row>, %y: tensor<16xf16, #part>) {
  // expected-error @below {{has threads that hold different elements of the parts}}
  %0 = cta.insert_slice %y into %x [16] : tensor<16xf16, #part> into tensor<32xf16, #row>
  return
}

// -----

#whole = #cta.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#turned = #cta.layout<register = [], lane = [[16], [2], [4], [8], [1]], warp = []>

func.func @insert_of_others(%x: tensor<64xf16, #whole>, %y: tensor<32xf16, #turned>) {
  // expected-error @below {{inserts a tile that other threads hold}}
  %0 = cta.insert_slice %y into %x [32] : tensor<32xf16, #turned> into tensor<64xf16, #whole>
  return
}

// -----

func.func @insert_without_layout(%x: tensor<64xf16, #cta.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>>, %y: tensor<32xf16>) {
  // expected-error @below {{mixes tiles with and without a layout}}
  %0 = cta.insert_slice %y into %x [32] : tensor<32xf16> into tensor<64xf16, #cta.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>>
  return
}

// -----

func.func @copy_type(%p: memref<*xf16>, %b: !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>, %slot: i32, %c: i1, %at: i64) {
  // expected-error @below {{loads 'tensor<8xf16>' into '!cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>'}}
  cta.copy to %b[%slot] if %c : !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>> {
    %0 = tts.load %p[%at] strides [1] : memref<*xf16> -> tensor<8xf16>
    cta.yield %0 : tensor<8xf16>
  }
  return
}

// -----

func.func @copy_body(%x: tensor<4xf16>, %b: !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>>, %slot: i32, %c: i1) {
  // expected-error @below {{holds one load and yields its tile}}
  cta.copy to %b[%slot] if %c : !cta.buffer<1, 4xf16, #cta.shared<[[1], [2]]>> {
    cta.yield %x : tensor<4xf16>
  }
  return
}

// -----

func.func @transposed_type(%b: !cta.buffer<1, 4x2xf16, #cta.shared<[[0, 1], [1, 0], [2, 0]]>>) {
  // expected-error @below {{has a type that its permutation does not give}}
  %0 = cta.transpose_buffer %b [1, 0] : !cta.buffer<1, 4x2xf16, #cta.shared<[[0, 1], [1, 0], [2, 0]]>> -> !cta.buffer<1, 2x4xf16, #cta.shared<[[0, 1], [0, 2], [1, 0]]>>
  return
}

// -----

func.func @transposed_order(%b: !cta.buffer<1, 4x2xf16, #cta.shared<[[0, 1], [1, 0], [2, 0]]>>) {
  // expected-error @below {{has a type that its permutation does not give}}
  %0 = cta.transpose_buffer %b [0, 0] : !cta.buffer<1, 4x2xf16, #cta.shared<[[0, 1], [1, 0], [2, 0]]>> -> !cta.buffer<1, 4x2xf16, #cta.shared<[[0, 1], [1, 0], [2, 0]]>>
  return
}
