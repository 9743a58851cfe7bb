// RUN: triton-shared-opt %s --expand-small-floats --split-input-file --verify-diagnostics

func.func @upward(%x: f32) -> bf16 {
  // expected-error @below {{'arith.truncf' op rounds in a way that no code is made for}}
  // expected-note @below {{known are 'to_nearest_even', and 'toward_zero' to 8 and 16 bits}}
  // expected-note @below {{leave out the rounding mode, or name one of these}}
  %0 = arith.truncf %x upward : f32 to bf16
  return %0 : bf16
}
