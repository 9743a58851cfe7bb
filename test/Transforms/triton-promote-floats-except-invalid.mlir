// RUN: triton-shared-opt %s --triton-promote-floats=except=1 --verify-diagnostics --split-input-file

// What can stay as it is computes floats, and does not access memory.

// expected-error @below {{value 1 is not computed from floats}}
// expected-note @below {{an operation that computes one}}
// expected-note @below {{triton-probe-values lists values}}
module {
  tt.func @integers(%n: i32) {
    %0 = arith.addi %n, %n : i32
    tt.return
  }
}

// -----

// expected-error @below {{value 1 is not computed from floats}}
// expected-note @below {{an operation that computes one}}
// expected-note @below {{triton-probe-values lists values}}
module {
  tt.func @few(%x: f32) {
    tt.return
  }
}

// -----

// expected-error @below {{value 1 is not computed from floats}}
// expected-note @below {{an operation that computes one}}
// expected-note @below {{triton-probe-values lists values}}
module {
  tt.func @reads(%p: !tt.ptr<f32>, %x: f32) {
    %0 = tt.load %p : !tt.ptr<f32>
    tt.return
  }
}
