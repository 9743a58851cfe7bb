// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file --verify-diagnostics

// A function of a library of the user's own.
tt.func public @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'tt.extern_elementwise' op calls "my_function", which has no portable meaning}}
  // expected-note @below {{known are the functions of libdevice that docs/supported-ops.md lists}}
  // expected-note @below {{write it with operations of triton.language, or with a libdevice function that is known}}
  %0 = tt.extern_elementwise %x {libname = "mine", libpath = "/mine.bc", pure = true, symbol = "my_function"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// -----

// A name like libdevice's that libdevice does not have.
tt.func public @no_such_function(%x: f32) -> f32 {
  // expected-error @below {{'tt.extern_elementwise' op calls "__nv_fast_thing", which has no portable meaning}}
  // expected-note @below {{known are}}
  // expected-note @below {{write it with}}
  %0 = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_thing"} : (f32, f32) -> f32
  tt.return %0 : f32
}

// -----

// Each text of assembly is an error of its own.
tt.func public @assembly(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @below {{'tt.elementwise_inline_asm' op holds assembly that has a meaning on one kind of GPU only}}
  // expected-note @below {{"shfl.sync.up.b32 $0, $1, 1, 0, -1" is an instruction without a portable meaning}}
  // expected-note @below {{write it with operations of triton.language, or call a function of libdevice}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1; shfl.sync.up.b32 $0, $1, 1, 0, -1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>
  // expected-error @below {{'tt.elementwise_inline_asm' op holds assembly}}
  // expected-note @below {{"%envreg3" is a register of the GPU that is not known}}
  // expected-note @below {{write it with}}
  %1 = tt.elementwise_inline_asm "mov.u32 $0, %envreg3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %0 : tensor<8xi32> -> tensor<8xi32>
  tt.return %1 : tensor<8xi32>
}
