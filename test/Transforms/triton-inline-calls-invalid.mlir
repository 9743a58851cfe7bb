// RUN: triton-shared-opt %s --triton-inline-calls --verify-diagnostics --split-input-file

// Calls that have no code to take their place.

tt.func public @kernel(%x: f32) {
  %0 = tt.call @even(%x) : (f32) -> f32
  tt.return
}
// expected-note @below {{the function is here}}
tt.func private @even(%x: f32) -> f32 {
  %0 = tt.call @odd(%x) : (f32) -> f32
  tt.return %0 : f32
}
tt.func private @odd(%x: f32) -> f32 {
  // expected-error @below {{'tt.call' op calls 'even', which calls itself}}
  // expected-note @below {{a kernel can not recurse; write the recursion as a loop}}
  %0 = tt.call @even(%x) : (f32) -> f32
  tt.return %0 : f32
}

// -----

tt.func public @kernel(%x: f32) {
  // expected-error @below {{'tt.call' op calls 'elsewhere', which has no body}}
  // expected-note @below {{write the function with @triton.jit in the same module, or call one of libdevice}}
  tt.call @elsewhere(%x) : (f32) -> ()
  tt.return
}
// expected-note @below {{the function is declared here, and its code is elsewhere}}
tt.func private @elsewhere(f32)

// -----

tt.func public @kernel(%c: i1) {
  // expected-error @below {{'tt.call' op calls 'branches', which has branches}}
  // expected-note @below {{run triton-structure-control-flow first}}
  tt.call @branches(%c) : (i1) -> ()
  tt.return
}
// expected-note @below {{the function is here}}
tt.func private @branches(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}
