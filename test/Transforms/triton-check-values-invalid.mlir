// RUN: triton-shared-opt %s --triton-check-values --verify-diagnostics

// expected-error @below {{cannot be checked}}
// expected-note @below {{it has unstructured control flow}}
// expected-note @below {{run 'triton-structure-control-flow' before this pass}}
tt.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  tt.return
}
