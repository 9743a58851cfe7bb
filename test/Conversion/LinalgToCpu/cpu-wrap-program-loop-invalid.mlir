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

// -----

// expected-error @below {{'func.func' op uses memory space 3 : i64, for which no machine code is made}}
// expected-note @below {{this points there}}
// expected-note @below {{use pointers to global memory, as '!tt.ptr<f32>', or go on from '--triton-to-linalg' yourself}}
func.func @space_of_an_argument(%p: memref<*xf32, 3>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  return
}
