// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Arithmetic that does not fit.

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.bitcast' op can not turn 32 bits into 16}}
  %0 = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.bitcast' op can not turn '!tt.ptr<f32>' into 'i64'; use tt.ptr_to_int or tt.int_to_ptr}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.bitcast' op }}
  %0 = tt.bitcast %a : tensor<8xf32> -> i32
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.fp_to_fp' op narrows 'f32' to 'f8E5M2' and does not say how to round}}
  %0 = tt.fp_to_fp %x : f32 -> f8E5M2
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{expected}}
  %0 = tt.fp_to_fp %x, rounding = up : f32 -> f8E5M2
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{must be}}
  %0 = tt.precise_sqrt %h : f16
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.extern_elementwise' op calls a function without a name}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op runs on packs of 3 elements, and 'tensor<8xi32>' is no whole number of them}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 3 : i32, pure = true} %is : tensor<8xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%x: f32, %a: tensor<8xf32>, %h: f16, %p: !tt.ptr<f32>, %i: i32, %is: tensor<8xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op runs on packs of 0 elements}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r", packed_element = 0 : i32, pure = true} -> i32
  tt.return
}

// -----

tt.func @f(%is: tensor<8xi32>) {
  // expected-error @below {{'tt.map_elementwise' op runs on packs of 3 elements, and 'tensor<8xi32>' is no whole number of them}}
  %0 = "tt.map_elementwise"(%is) <{pack = 3 : i32}> ({
  ^bb0(%b: i32, %c: i32, %d: i32):
    tt.map_elementwise.return %b, %c, %d : i32, i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%is: tensor<8xi32>) {
  // expected-error @below {{'tt.map_elementwise' op has a region that takes ('i32'), but the elements are ('i32', 'i32')}}
  %0 = "tt.map_elementwise"(%is) <{pack = 2 : i32}> ({
  ^bb0(%b: i32):
    tt.map_elementwise.return %b, %b : i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%is: tensor<8xi32>) {
  %0 = "tt.map_elementwise"(%is) <{pack = 2 : i32}> ({
  ^bb0(%b: i32, %c: i32):
    // expected-error @below {{'tt.map_elementwise.return' op returns ('i32'), but the elements of the results are ('i32', 'i32')}}
    tt.map_elementwise.return %b : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%is: tensor<8xi32>) {
  // expected-error @below {{'tt.map_elementwise' op has no region}}
  %0 = "tt.map_elementwise"(%is) <{pack = 1 : i32}> ({
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f() {
  // expected-error @below {{'tt.map_elementwise' op expected 1 or more operands, but found 0}}
  %0 = "tt.map_elementwise"() <{pack = 1 : i32}> ({
  ^bb0:
    %c = arith.constant 0 : i32
    tt.map_elementwise.return %c : i32
  }) : () -> tensor<8xi32>
  tt.return
}
