// A layout has 5 bases for lanes, one coordinate per dimension in each, and a
// place for every element of its tile.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a layout has 5 lane bases, got 4}}
func.func @lanes(%a: tensor<16xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8]], warp = []>>)

// -----

// expected-error @below {{all bases of a layout have the same rank}}
func.func @ranks(%a: tensor<64xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32, 0]]>>)

// -----

// expected-error @below {{a layout gives each element of its tile a place}}
func.func @small(%a: tensor<64xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>)

// -----

// expected-error @below {{and no place outside of it}}
func.func @large(%a: tensor<16xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>)

// -----

// expected-error @below {{a layout gives each element of its tile a place}}
func.func @rank(%a: tensor<4x8xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>)

// -----

// expected-error @below {{a tile has sizes that are powers of two}}
func.func @odd(%a: tensor<3xf32, #cta.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = []>>)
