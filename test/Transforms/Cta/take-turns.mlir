// Groups of warps leave the tensor cores to each other while they compute powers.
// RUN: triton-shared-opt %s --cta-take-turns | FileCheck %s

#s = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#o = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#other = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [16, 0], [64, 0]]>
#q = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0], [64, 0]]>
#k = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16]]>
#v = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>

// The turn begins before the second product, and goes on with the first one of the next turn of the loop. It is passed on while that
// one is not over. The first group begins, and takes back the last turn that is passed on.
// CHECK-LABEL: func.func @attention(
// CHECK: } consumers {
// CHECK-NEXT: cta.pass_turn first
// CHECK-NEXT: cta.wait_turn
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[S:.*]] = cta.dot {{.*}} goes_on
// CHECK-NEXT: cta.pass_turn
// CHECK-NEXT: %[[T:.*]] = cta.wait_dot %[[S]]
// CHECK-NEXT: math.exp2 %[[T]]
// CHECK: arith.truncf
// CHECK-NEXT: cta.wait_turn
// CHECK-NEXT: cta.dot
// CHECK-NOT: goes_on
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.pass_turn
// CHECK-NEXT: cta.wait_turn first
// CHECK-NEXT: }
func.func @attention(%q: !cta.buffer<1, 128x16xf16, #q>, %k: !cta.buffer<2, 16x32xf16, #k>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<128x16xf32, #o>
  cta.specialize producer {
  } consumers {
    %r = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<128x16xf32, #o>) : i32 {
      %s = cta.dot %q[%zero], %k[%zero], %none : !cta.buffer<1, 128x16xf16, #q>, !cta.buffer<2, 16x32xf16, #k> -> tensor<128x32xf32, #s> by #cta.wgmma<m64n32k16>
      %p = math.exp2 %s : tensor<128x32xf32, #s>
      %h = arith.truncf %p : tensor<128x32xf32, #s> to tensor<128x32xf16, #s>
      %d = cta.dot %h, %v[%zero], %sum : tensor<128x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<128x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
      scf.yield %d : tensor<128x16xf32, #o>
    }
  }
  return
}

// Where all meet, a group would wait for one whose turn it is not.
// CHECK-LABEL: func.func @barrier(
// CHECK-NOT: cta.{{wait|pass}}_turn
func.func @barrier(%q: !cta.buffer<1, 128x16xf16, #q>, %k: !cta.buffer<2, 16x32xf16, #k>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<128x16xf32, #o>
  cta.specialize producer {
  } consumers {
    %r = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<128x16xf32, #o>) : i32 {
      %s = cta.dot %q[%zero], %k[%zero], %none : !cta.buffer<1, 128x16xf16, #q>, !cta.buffer<2, 16x32xf16, #k> -> tensor<128x32xf32, #s> by #cta.wgmma<m64n32k16>
      %p = math.exp2 %s : tensor<128x32xf32, #s>
      gpu.barrier
      %h = arith.truncf %p : tensor<128x32xf32, #s> to tensor<128x32xf16, #s>
      %d = cta.dot %h, %v[%zero], %sum : tensor<128x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<128x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
      scf.yield %d : tensor<128x16xf32, #o>
    }
  }
  return
}

// CHECK-LABEL: func.func @exchange(
// CHECK-NOT: cta.{{wait|pass}}_turn
func.func @exchange(%q: !cta.buffer<1, 128x16xf16, #q>, %k: !cta.buffer<2, 16x32xf16, #k>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<128x16xf32, #o>
  cta.specialize producer {
  } consumers {
    %r = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<128x16xf32, #o>) : i32 {
      %s = cta.dot %q[%zero], %k[%zero], %none : !cta.buffer<1, 128x16xf16, #q>, !cta.buffer<2, 16x32xf16, #k> -> tensor<128x32xf32, #s> by #cta.wgmma<m64n32k16>
      %x = math.exp2 %s : tensor<128x32xf32, #s>
      %y = cta.convert_layout %x : tensor<128x32xf32, #s> -> tensor<128x32xf32, #other>
      %p = cta.convert_layout %y : tensor<128x32xf32, #other> -> tensor<128x32xf32, #s>
      %h = arith.truncf %p : tensor<128x32xf32, #s> to tensor<128x32xf16, #s>
      %d = cta.dot %h, %v[%zero], %sum : tensor<128x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<128x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
      scf.yield %d : tensor<128x16xf32, #o>
    }
  }
  return
}

// Nothing takes long between the products.
// CHECK-LABEL: func.func @no_powers(
// CHECK-NOT: cta.{{wait|pass}}_turn
func.func @no_powers(%q: !cta.buffer<1, 128x16xf16, #q>, %k: !cta.buffer<2, 16x32xf16, #k>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<128x16xf32, #o>
  cta.specialize producer {
  } consumers {
    %r = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<128x16xf32, #o>) : i32 {
      %s = cta.dot %q[%zero], %k[%zero], %none : !cta.buffer<1, 128x16xf16, #q>, !cta.buffer<2, 16x32xf16, #k> -> tensor<128x32xf32, #s> by #cta.wgmma<m64n32k16>
      %p = math.absf %s : tensor<128x32xf32, #s>
      %h = arith.truncf %p : tensor<128x32xf32, #s> to tensor<128x32xf16, #s>
      %d = cta.dot %h, %v[%zero], %sum : tensor<128x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<128x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
      scf.yield %d : tensor<128x16xf32, #o>
    }
  }
  return
}
