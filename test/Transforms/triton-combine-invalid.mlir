// RUN: triton-shared-opt %s --triton-combine --verify-diagnostics --split-input-file

// Hints that no loop can follow.

tt.func @factor(%c: i1, %from: i32, %to: i32, %step: i32) {
  // expected-error @below {{'scf.for' op asks to be unrolled 0 times; use 1 or more}}
  scf.for %i = %from to %to step %step : i32 {
    tt.assert %c, "runs" : i1
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return
}

// -----

tt.func @step(%c: i1, %from: i32, %to: i32) {
  %step = arith.constant -1 : i32
  // expected-error @below {{'scf.for' op has the step -1, so it can not be unrolled}}
  scf.for %i = %from to %to step %step : i32 {
    tt.assert %c, "runs" : i1
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}
