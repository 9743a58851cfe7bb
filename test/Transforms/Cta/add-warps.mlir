// Twice the warps where the sums of a loop's products take all registers of a
// thread, as long as each has 16 rows of every product.
// RUN: triton-shared-opt %s --cta-add-warps | FileCheck %s

#hopper = #cta.target<"sm_90a">

// CHECK: func.func @one_sum({{.*}}) attributes {cta.num_warps = 4 : i32
func.func @one_sum(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x128xf16>, %zero: tensor<128x128xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %d = cta.dot %a, %b, %sum : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  return
}

// Gradients of keys and values: 256 registers of each thread of four warps.
// CHECK: func.func @two_sums({{.*}}) attributes {cta.num_warps = 8 : i32
func.func @two_sums(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x128xf16>, %zero: tensor<128x128xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %d = cta.dot %a, %b, %x : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    %e = cta.dot %a, %b, %y : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d, %e : tensor<128x128xf32>, tensor<128x128xf32>
  }
  return
}

// Two warps become four, then eight.
// CHECK: func.func @from_two({{.*}}) attributes {cta.num_warps = 8 : i32
func.func @from_two(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<128x256xf32>) attributes {cta.num_warps = 2 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %d = cta.dot %a, %b, %sum : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  return
}

// More than eight have fewer registers each.
// CHECK: func.func @too_much({{.*}}) attributes {cta.num_warps = 8 : i32
func.func @too_much(%n: index, %a: tensor<256x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<256x256xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<256x256xf32>) {
    %d = cta.dot %a, %b, %sum : tensor<256x32xf16>, tensor<32x256xf16> -> tensor<256x256xf32>
    scf.yield %d : tensor<256x256xf32>
  }
  return
}

// A warp of its own has 16 rows of each product: the other one has 64.
// CHECK: func.func @few_rows({{.*}}) attributes {cta.num_warps = 4 : i32
func.func @few_rows(%n: index, %s: tensor<64x32xf16>, %a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<128x256xf32>, %none: tensor<64x256xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %d = cta.dot %a, %b, %sum : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    %e = cta.dot %s, %b, %none : tensor<64x32xf16>, tensor<32x256xf16> -> tensor<64x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  return
}

// Two elements of f16 are in one register.
// CHECK: func.func @halves({{.*}}) attributes {cta.num_warps = 4 : i32
func.func @halves(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<128x256xf16>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x256xf16>) {
    %d = cta.dot %a, %b, %sum : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf16>
    scf.yield %d : tensor<128x256xf16>
  }
  return
}

// A product whose result is not carried on takes its registers for a moment.
// CHECK: func.func @not_carried({{.*}}) attributes {cta.num_warps = 4 : i32
func.func @not_carried(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<128x256xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #hopper} {
  %0 = cta.dot %a, %b, %zero : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
  return
}

// CHECK: func.func @older({{.*}}) attributes {cta.num_warps = 4 : i32
func.func @older(%n: index, %a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %zero: tensor<128x256xf32>) attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %d = cta.dot %a, %b, %sum : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  return
}
