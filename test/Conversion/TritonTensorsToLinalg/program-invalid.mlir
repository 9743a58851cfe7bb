// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file --verify-diagnostics

// A phase was skipped.
tt.func public @unstructured(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op is not expected in phase 'structured'}}
  // expected-note @below {{run --triton-pointers-to-structured first}}
  %v = tt.load %p : !tt.ptr<f32>
  tts.print "v" {hex = false, is_signed = array<i32: 1>} : %v : f32
  tt.return
}

// -----

tt.func private @callee(%x: f32) -> f32 {
  tt.return %x : f32
}

tt.func public @caller(%x: f32) {
  // expected-error @below {{'tt.call' op is not expected in phase 'structured'}}
  // expected-note @below {{run --triton-inline-calls first}}
  %y = tt.call @callee(%x) : (f32) -> f32
  tt.return
}
