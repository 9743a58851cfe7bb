// RUN: triton-shared-opt %s --triton-extract-operation=number=0 --verify-diagnostics --split-input-file
// RUN: not triton-shared-opt %s --triton-extract-operation=number=9 --split-input-file 2>&1 | FileCheck %s

// CHECK: error: there is no value 9; the kernel has 1
// CHECK: note: values count from 0, in the order of the program
// CHECK: note: triton-probe-values lists them

tt.func @loads(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op has a pointer for an operand, so it cannot be extracted}}
  // expected-note @below {{runs alone}}
  // expected-note @below {{extract an operation that comes before or after}}
  %0 = tt.load %p : !tt.ptr<f32>
  tt.return
}

// -----

// expected-error @below {{value 0 is carried, not computed, so it cannot be extracted}}
// expected-note @below {{a loop or a branch hands it on}}
// expected-note @below {{extract what computes the value}}
tt.func @carries(%c: i1, %x: f32) {
  %0 = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %x : f32
  }
  tt.return
}

// -----

// expected-error @below {{there is no kernel in this module}}
// expected-note @below {{a public 'tt.func'}}
// expected-note @below {{front end}}
module {}
