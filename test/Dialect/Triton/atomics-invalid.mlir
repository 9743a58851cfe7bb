// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Atomics that do not fit.

tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.atomic_rmw' op can not apply 'add' to 'f32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_rmw' op can not apply 'fadd' to 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i64) {
  // expected-error @below {{'tt.atomic_rmw' op failed to verify that the value has the type that the pointer points to}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i64) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{expected}}
  %0 = tt.atomic_rmw nand, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{expected}}
  %0 = tt.atomic_cas seq_cst, gpu, %p, %x, %x : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32, %y: i16) {
  // expected-error @below {{'tt.atomic_cas' op failed to verify that the expected value has the type that the pointer points to}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %y, %x : (!tt.ptr<i32>, i16, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>) {
  // expected-error @below {{'tt.atomic_load' op has the order 'release'; it can be 'relaxed' or 'acquire'}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_store' op has the order 'acq_rel'; it can be 'relaxed' or 'release'}}
  tt.atomic_store acq_rel, gpu, %p, %x : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_poll' op has the order 'release'; it can be 'relaxed' or 'acquire'}}
  %0 = tt.atomic_poll release, gpu, %p, %x : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_poll' op has the result 'tensor<4xi1>', but needs an i1 for each element of '!tt.ptr<i32>'}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %x : !tt.ptr<i32>, i32 -> tensor<4xi1>
  tt.return
}
