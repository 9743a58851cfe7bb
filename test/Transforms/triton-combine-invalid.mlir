// RUN: triton-shared-opt %s --triton-combine --verify-diagnostics --split-input-file

// Hints that no loop can follow.

tt.func @factor(%c: i1, %from: i32, %to: i32, %step: i32) {
  // expected-error @below {{'scf.for' op asks to be unrolled 0 times}}
  // expected-note @below {{one turn of the unrolled loop does the work of that many turns}}
  // expected-note @below {{give 'loop_unroll_factor' as 1 or more}}
  scf.for %i = %from to %to step %step : i32 {
    tt.assert %c, "runs" : i1
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return
}

// -----

tt.func @step(%c: i1, %from: i32, %to: i32) {
  %step = arith.constant -1 : i32
  // expected-error @below {{'scf.for' op has the step -1, so it can not be unrolled}}
  // expected-note @below {{how often a loop runs is known for steps of 1 or more}}
  // expected-note @below {{count upwards, or leave out 'loop_unroll_factor'}}
  scf.for %i = %from to %to step %step : i32 {
    tt.assert %c, "runs" : i1
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}
