// A layout has 5 bases for lanes, and one coordinate per dimension in each.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a layout has 5 lane bases, got 4}}
func.func @lanes(%a: tensor<16xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8]], warp = []>>)

// -----

// expected-error @below {{all bases of a layout have the same rank}}
func.func @ranks(%a: tensor<64xf32, #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32, 0]]>>)
