// RUN: triton-shared-opt %s --triton-structure-control-flow --verify-diagnostics --split-input-file

// What can not become regions.

// expected-note @below {{in here, 'cf' branches and returns can end a block}}
tt.func @unknown_branch(%c: i1) {
  // expected-error @below {{'llvm.cond_br' op ends a block, and can not be structured}}
  // expected-note @below {{write the control flow with if, for, while and return}}
  llvm.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----

// expected-note @below {{in here, 'cf' branches and returns can end a block}}
tt.func @unknown_end(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  // expected-error @below {{'llvm.unreachable' op ends a block, and can not be structured}}
  // expected-note @below {{write the control flow with if, for, while and return}}
  llvm.unreachable
}
