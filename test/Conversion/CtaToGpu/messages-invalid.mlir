// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --verify-diagnostics

// Threads hold floats of 8 bits as integers: to print one, convert it first.

#once = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

func.func @small_floats(%n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32xf8E5M2, #once>
  // expected-error @+1 {{failed to legalize operation 'tts.print'}}
  tts.print "x " {hex = false, is_signed = array<i32: 0>} : %x : tensor<32xf8E5M2, #once>
  return
}
