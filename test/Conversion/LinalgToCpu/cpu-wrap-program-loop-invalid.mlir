// RUN: triton-shared-opt %s --cpu-wrap-program-loop --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op is not a kernel}}
// expected-note @below {{a kernel takes memrefs of unknown rank and numbers, then six i32}}
func.func @no_program(%p: memref<*xf32>) {
  return
}

// -----

// expected-error @below {{'func.func' op is not a kernel}}
// expected-note @below {{a kernel takes memrefs of unknown rank and numbers, then six i32}}
func.func @tensor(%t: tensor<4xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  return
}
