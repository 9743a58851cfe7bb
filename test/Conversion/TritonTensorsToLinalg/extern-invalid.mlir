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

// A function is called with what it takes, and as often.
tt.func public @other_types(%i: tensor<8xi32>, %x: f32, %h: f16) {
  // expected-error @below {{'tt.extern_elementwise' op calls "__nv_isnanf" with other types}}
  // expected-note @below {{in libdevice it is '(f32) -> i32'}}
  // expected-note @below {{convert the operands with `.to(...)`, or call the function of triton.language.extra.libdevice, which chooses by type}}
  %0 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (tensor<8xi32>) -> tensor<8xi32>
  // expected-error @below {{calls "__nv_hypotf" with other types}}
  // expected-note @below {{in libdevice it is '(f32, f32) -> f32'}}
  // expected-note @below {{convert}}
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (f32) -> f32
  // expected-error @below {{calls "__nv_float2int_rd" with other types}}
  // expected-note @below {{in libdevice it is '(f32) -> i32'}}
  // expected-note @below {{convert}}
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rd"} : (f32) -> f32
  // expected-error @below {{calls "__nv_rsqrtf" with other types}}
  // expected-note @below {{in libdevice it is '(f32) -> f32'}}
  // expected-note @below {{convert}}
  %3 = tt.extern_elementwise %h {libname = "", libpath = "", pure = true, symbol = "__nv_rsqrtf"} : (f16) -> f16
  tt.return
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
