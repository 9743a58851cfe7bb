// RUN: triton-shared-opt %s --verify-triton-checkpoint --split-input-file --verify-diagnostics

// Upstream's operations may be there, with Triton's attributes on arguments.
func.func @kernel(%p: memref<*xf32> {tt.divisibility = 16 : i32}) {
  return
}

// -----

// An operation of Triton may not.
// expected-error @below {{'tt.func' op is left of Triton or triton-shared}}
// expected-note @below {{what reads this next knows neither dialect}}
// expected-note @below {{--triton-to-linalg-experimental leaves none, or says why}}
tt.func @kernel() {
  tt.return
}

// -----

// Nor one of this project.
func.func @kernel(%p: memref<*xf32>, %o: i64) -> f32 {
  // expected-error @below {{'tts.load' op is left of Triton or triton-shared}}
  // expected-note @below {{what reads this next}}
  // expected-note @below {{leaves none}}
  %0 = tts.load %p[%o] strides [] : memref<*xf32> -> f32
  return %0 : f32
}

// -----

// Nor a type of Triton.
// expected-error @below {{'func.func' op is left of Triton or triton-shared}}
// expected-note @below {{what reads this next}}
// expected-note @below {{leaves none}}
func.func @kernel(%p: !tt.ptr<f32>) {
  return
}
