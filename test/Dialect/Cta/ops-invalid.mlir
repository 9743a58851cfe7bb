// What the verifiers of cta reject.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

func.func @iota() -> tensor<8xi32> {
  // expected-error @below {{counts along dimension 1 of a tile of rank 1}}
  %0 = cta.iota 1 : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @splat(%x: f16) -> tensor<8xf32> {
  // expected-error @below {{operand is an element of the result}}
  %0 = "cta.splat"(%x) : (f16) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @broadcast_rank(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{keeps the rank}}
  %0 = cta.broadcast %x : tensor<8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @broadcast_size(%x: tensor<2x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{repeats dimensions of size one, not dimension 0 of size 2}}
  %0 = cta.broadcast %x : tensor<2x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @reshape(%x: tensor<8xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{keeps the elements}}
  %0 = cta.reshape %x : tensor<8xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @transpose(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a shape that its permutation does not give}}
  %0 = cta.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @lookup_rank(%x: tensor<4x8xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  // expected-error @below {{needs one tile of indices per dimension}}
  %0 = cta.lookup %x[%i : tensor<8xi32>] : tensor<4x8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @lookup_shape(%x: tensor<8xf32>, %i: tensor<4xi32>) -> tensor<8xf32> {
  // expected-error @below {{needs integers in the shape of the result, got 'tensor<4xi32>'}}
  %0 = cta.lookup %x[%i : tensor<4xi32>] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @convert(%x: tensor<8xf32>) -> tensor<8xf16> {
  // expected-error @below {{changes nothing but the layout}}
  %0 = cta.convert_layout %x : tensor<8xf32> -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @reduce_axis(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @below {{reduces dimension 1 of 'tensor<8xf32>'}}
  %0 = cta.reduce %x axis 1 : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @reduce_shape(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{gives 'tensor<4xf32>' for 'tensor<4x8xf32>'}}
  %0 = cta.reduce %x axis 0 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @reduce_region(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @below {{combines two elements of each source into one}}
  %0 = cta.reduce %x axis 0 : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @reduce_spread(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @below {{spreads what has to be combined in order}}
  %0 = cta.reduce %x axis 0 spread : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<f32>
}

// -----

func.func @scan(%x: tensor<8xf32>) -> tensor<8xf16> {
  // expected-error @below {{gives results of the types of its sources}}
  %0 = cta.scan %x axis 0 : (tensor<8xf32>) -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    cta.yield %a : f16
  }
  return %0 : tensor<8xf16>
}

// -----

func.func @dot(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{multiplies 'tensor<16x32xf16>' by 'tensor<16x8xf16>' into 'tensor<16x8xf32>'}}
  %0 = cta.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

#l = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
func.func @mixed(%x: tensor<32xf32, #l>) -> tensor<1x32xf32> {
  // expected-error @below {{mixes tiles with and without a layout}}
  %0 = cta.reshape %x : tensor<32xf32, #l> -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}

// -----

#l = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#m = #cta.layout<register = [], lane = [[0, 16], [0, 8], [0, 4], [0, 2], [0, 1]], warp = []>
func.func @follows(%x: tensor<32xf32, #l>) -> tensor<1x32xf32, #m> {
  // expected-error @below {{has a tile of layout}}
  %0 = cta.reshape %x : tensor<32xf32, #l> -> tensor<1x32xf32, #m>
  return %0 : tensor<1x32xf32, #m>
}

// -----

func.func @extract(%x: tensor<4x8xf32>, %i: index) -> f32 {
  // expected-error @below {{needs one index per dimension of the tile: 2, got 1}}
  %0 = cta.extract %x[%i] : tensor<4x8xf32>
  return %0 : f32
}

// -----

func.func @scan_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{scans dimension 1 of 'tensor<8xf32>'}}
  %0 = cta.scan %x axis 1 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @scan_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{scans tiles of one shape, not 'tensor<4xf32>'}}
  %0:2 = cta.scan %x, %y axis 0 : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    cta.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @map_body(%x: tensor<8xf32>) -> tensor<8xf16> {
  // expected-error @below {{makes one element of each result of one of each source}}
  %0 = cta.map %x : (tensor<8xf32>) -> tensor<8xf16> {
  ^bb0(%a: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<8xf16>
}

// -----

func.func @map_shapes(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{goes through tiles of one shape, not 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0 = cta.map %x : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    cta.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{a target is an NVIDIA GPU as in "sm_90a", from sm_80 on}}
func.func @target() attributes {cta.target = #cta.target<"sm_70">} { return }

// -----

func.func @asks_about_nothing() -> i1 {
  // expected-error @below {{failed to verify that asks about a tile}}
  %0 = "cta.warp_any"() : () -> i1
  return %0 : i1
}

// -----

func.func @turns_are_numbers(%first: i32, %end: i32, %step: i32) -> i1 {
  // expected-error @below {{has a region from the number of a turn, an i32, to an i1}}
  %0 = cta.all_turns from %first to %end step %step : i32 {
  ^bb0(%turn: i64):
    %holds = arith.constant true
    cta.yield %holds : i1
  }
  return %0 : i1
}

// -----

func.func @turns_hold_or_not(%first: i32, %end: i32, %step: i32) -> i1 {
  // expected-error @below {{has a region from the number of a turn, an i32, to an i1}}
  %0 = cta.all_turns from %first to %end step %step : i32 {
  ^bb0(%turn: i32):
    cta.yield %turn : i32
  }
  return %0 : i1
}
