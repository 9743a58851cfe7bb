// RUN: triton-shared-opt %s --triton-pointers-to-structured --split-input-file --verify-diagnostics

tt.func private @callee(%p: !tt.ptr<f32>)

tt.func @call(%p: !tt.ptr<f32>) {
  // expected-note @below {{the pointer comes from here}}
  %a = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32>
  // expected-error @below {{'tt.call' op uses a pointer in a way that is not supported}}
  // expected-note @below {{convert the pointer to an integer before, and back after}}
  tt.call @callee(%a) : (!tt.ptr<f32>) -> ()
  tt.return
}

// -----

// expected-error @below {{'tt.func' op has unstructured control flow}}
// expected-note @below {{run triton-structure-control-flow before}}
tt.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----

// expected-error @below {{'tt.func' op has a block of pointers as argument 1, 'tensor<8x!tt.ptr<f32>>'}}
// expected-note @below {{a kernel is launched with scalars, and starts at their pointers}}
// expected-note @below {{pass the pointer that the block is made of, and add its offsets in the function}}
tt.func @block_of_pointers(%p: !tt.ptr<f32>, %q: tensor<8x!tt.ptr<f32>>) {
  tt.return
}
