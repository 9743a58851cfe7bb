// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Functions, calls and hints that do not fit.

// expected-note @below {{the function is here}}
tt.func @f(%x: f32) {
  // expected-error @below {{'tt.return' op returns ('f32'), but 'f' has the results ()}}
  tt.return %x : f32
}

// -----

tt.func @f() {
  // expected-error @below {{'tt.call' op calls 'g', which is no function of the module}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

// expected-note @below {{the function is here}}
tt.func @f(%x: f32) {
  // expected-error @below {{'tt.call' op calls 'f' as '(f32, f32) -> ()', but it is '(f32) -> ()'}}
  tt.call @f(%x, %x) : (f32, f32) -> ()
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // expected-error @below {{'tt.print' op prints 1 values, but 'isSigned' has 0 entries}}
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : f32
  tt.return
}

// -----

tt.func @f() {
  // expected-error @below {{unknown memory 'everything'}}
  ttg.barrier everything
  tt.return
}

// -----

tt.func @f() {
  // expected-error @below {{expected}}
  %0 = tt.get_program_id w : i32
  tt.return
}

// -----

tt.func @f(%x: i32) {
  // expected-error @below {{'arith.addi' op has the hint 'tt.divisibility' = "16", which is not an integer}}
  %0 = arith.addi %x, %x {tt.divisibility = "16"} : i32
  tt.return
}

// -----

// expected-error @below {{'tt.func' op has the hint 'tt.divisibility' = 1.600000e+01 : f32, which is not an integer}}
tt.func private @f(%p: !tt.ptr<f32> {tt.divisibility = 16.0 : f32})

// -----

tt.func @f() {
  // expected-error @below {{expected ')'}}
  tt.call @f(
  tt.return
}
