// RUN: triton-shared-opt %s --structured-to-memref --split-input-file --verify-diagnostics

// Bases must be memrefs by now.
func.func @pointer(%p: !tt.ptr<f32>, %o: i64) -> f32 {
  // expected-error @below {{'tts.load' op cannot be lowered to memory}}
  // expected-note @below {{its base is not a memref of unknown rank}}
  // expected-note @below {{run 'triton-tensors-to-linalg' before this pass}}
  %v = tts.load %p[%o] strides [] : !tt.ptr<f32> -> f32
  return %v : f32
}

// -----

// A message names the program, which the arguments of the kernel do.
func.func @no_program(%c: i1) {
  // expected-error @below {{'tts.assert' op cannot be lowered to memory}}
  // expected-note @below {{the function lacks the program ids as its last arguments}}
  // expected-note @below {{run 'triton-tensors-to-linalg' before this pass}}
  tts.assert %c, "c" : i1
  return
}

// -----

func.func @threads() -> i32 {
  // expected-error @below {{kernel reads "%laneid", which tells the threads of a program on a GPU apart}}
  // expected-note @below {{on a CPU no thread holds an element more than another: one runs the whole program}}
  // expected-note @below {{number elements by tl.arange, programs by tl.program_id}}
  %0 = tts.read_machine laneid : i32
  return %0 : i32
}
