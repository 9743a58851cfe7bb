// Layouts are printed as they are written, once, under a name.
// RUN: triton-shared-opt %s | triton-shared-opt | FileCheck %s

// CHECK: #[[ROWS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = []>
// CHECK: #[[ALL:layout[0-9]*]] = #cta.layout<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [1]]>
// CHECK: #[[SCALAR:layout[0-9]*]] = #cta.layout<register = [], lane = {{\[\[}}], [], [], [], []], warp = {{\[\[}}]]>
#rows = #cta.layout<register = [[0, 1], [0, 2], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = []>
#all = #cta.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [1]]>
#scalar = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[]]>

// CHECK-LABEL: func.func @ranks(
// CHECK-SAME: tensor<4x64xf32, #[[ROWS]]>, %{{.*}}: tensor<2xf32, #[[ALL]]>, %{{.*}}: tensor<f32, #[[SCALAR]]>
func.func @ranks(%a: tensor<4x64xf32, #rows>, %b: tensor<2xf32, #all>, %c: tensor<f32, #scalar>) {
  return
}
