// Products that need nothing of a turn begin with its first one.
// RUN: triton-shared-opt %s --cta-overlap-dots | FileCheck %s

#s = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#o = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#k = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]>
#q = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16]]>
#x = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0], [4, 0]]>
#v = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>

// Each is waited for where its result is needed, and so is what reads registers, while there are some to spare.
// CHECK-LABEL: func.func @gradients(
// CHECK: scf.for
// CHECK-NEXT: %[[S:.*]] = cta.dot %{{.*}}, %arg1{{.*}} goes_on
// CHECK-NEXT: %[[G:.*]] = cta.dot %{{.*}}, %arg2{{.*}} goes_on
// CHECK-NEXT: %[[T:.*]] = cta.wait_dot %[[S]] but 1
// CHECK-NEXT: math.exp2 %[[T]]
// CHECK: %[[D:.*]] = cta.dot %{{.*}}, %arg3{{.*}} goes_on
// CHECK-NEXT: %[[H:.*]] = cta.wait_dot %[[G]] but 1
// CHECK-NEXT: arith.mulf %{{.*}}, %[[H]]
// CHECK: %[[E:.*]] = cta.dot
// CHECK-NOT: goes_on
// CHECK: %[[F:.*]] = cta.wait_dot %[[D]] :
// CHECK-NEXT: scf.yield %[[F]], %[[E]]
func.func @gradients(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x16xf32, #o>, tensor<64x16xf32, #o>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %p = math.exp2 %s : tensor<64x32xf32, #s>
    %h = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %d = cta.dot %h, %v[%zero], %sum : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    %g = cta.dot %k[%zero], %r[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %c = arith.mulf %p, %g : tensor<64x32xf32, #s>
    %i = arith.truncf %c : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %e = cta.dot %i, %v[%zero], %other : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    scf.yield %d, %e : tensor<64x16xf32, #o>, tensor<64x16xf32, #o>
  }
  return
}

// What is read comes only then.
// CHECK-LABEL: func.func @arrives_later(
// CHECK-NOT: goes_on
func.func @arrives_later(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x16xf32, #o>, tensor<64x16xf32, #o>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %p = math.exp2 %s : tensor<64x32xf32, #s>
    %h = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %d = cta.dot %h, %v[%zero], %sum : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    cta.wait 0
    %g = cta.dot %k[%zero], %r[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %c = arith.mulf %p, %g : tensor<64x32xf32, #s>
    %i = arith.truncf %c : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %e = cta.dot %i, %v[%zero], %other : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    scf.yield %d, %e : tensor<64x16xf32, #o>, tensor<64x16xf32, #o>
  }
  return
}

// What is read is written only then.
// CHECK-LABEL: func.func @is_written_later(
// CHECK-NOT: goes_on
func.func @is_written_later(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32, %x: tensor<16x32xf16, #x>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x16xf32, #o>, tensor<64x16xf32, #o>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %p = math.exp2 %s : tensor<64x32xf32, #s>
    %h = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %d = cta.dot %h, %v[%zero], %sum : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    cta.write %x to %r[%zero] : tensor<16x32xf16, #x> to <2, 16x32xf16, #q>
    %g = cta.dot %k[%zero], %r[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %c = arith.mulf %p, %g : tensor<64x32xf32, #s>
    %i = arith.truncf %c : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %e = cta.dot %i, %v[%zero], %other : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    scf.yield %d, %e : tensor<64x16xf32, #o>, tensor<64x16xf32, #o>
  }
  return
}

// What is copied there in the meantime is for a later turn.
// CHECK-LABEL: func.func @copies_ahead(
// CHECK: goes_on
// CHECK-NEXT: {{.*}} goes_on
func.func @copies_ahead(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32, %m: memref<*xf16>, %at: i64, %yes: i1)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x16xf32, #o>, tensor<64x16xf32, #o>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %p = math.exp2 %s : tensor<64x32xf32, #s>
    %h = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %d = cta.dot %h, %v[%zero], %sum : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    cta.copy to %r[%one] if %yes : <2, 16x32xf16, #q> {
      %l = tts.load %m[%at] strides [32, 1] : memref<*xf16> -> tensor<16x32xf16, #x>
      cta.yield %l : tensor<16x32xf16, #x>
    }
    cta.commit
    %g = cta.dot %k[%zero], %r[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %c = arith.mulf %p, %g : tensor<64x32xf32, #s>
    %i = arith.truncf %c : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %e = cta.dot %i, %v[%zero], %other : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    scf.yield %d, %e : tensor<64x16xf32, #o>, tensor<64x16xf32, #o>
  }
  return
}

// It needs what the turn computes.
// CHECK-LABEL: func.func @depends(
// CHECK-NOT: goes_on
func.func @depends(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x16xf32, #o>, tensor<64x16xf32, #o>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %none : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %p = math.exp2 %s : tensor<64x32xf32, #s>
    %h = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %d = cta.dot %h, %v[%zero], %sum : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    %g = cta.dot %k[%zero], %r[%zero], %p : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %c = arith.mulf %p, %g : tensor<64x32xf32, #s>
    %i = arith.truncf %c : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %e = cta.dot %i, %v[%zero], %other : tensor<64x32xf16, #s>, !cta.buffer<2, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    scf.yield %d, %e : tensor<64x16xf32, #o>, tensor<64x16xf32, #o>
  }
  return
}

// One that goes on into the next turn stays as it is.
// CHECK-LABEL: func.func @lasts(
// CHECK: cta.wait_dot %{{.*}} but 1
// CHECK-NOT: goes_on
func.func @lasts(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %none, %other = %none) -> (tensor<64x32xf32, #s>, tensor<64x32xf32, #s>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %sum goes_on : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %w = cta.wait_dot %s but 1 : tensor<64x32xf32, #s>
    %g = cta.dot %k[%zero], %r[%zero], %other : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    scf.yield %w, %g : tensor<64x32xf32, #s>, tensor<64x32xf32, #s>
  }
  return
}

// Two sums of a turn, of operands in memory.
// CHECK-LABEL: func.func @gate(
// CHECK: %[[S:.*]] = cta.dot %{{.*}} goes_on
// CHECK-NEXT: %[[G:.*]] = cta.dot %{{.*}} goes_on
// CHECK-NEXT: %[[T:.*]] = cta.wait_dot %[[S]] but 1
// CHECK-NEXT: %[[H:.*]] = cta.wait_dot %[[G]] :
// CHECK-NEXT: scf.yield %[[T]], %[[H]]
func.func @gate(%k: !cta.buffer<1, 64x16xf16, #k>, %q: !cta.buffer<2, 16x32xf16, #q>, %r: !cta.buffer<2, 16x32xf16, #q>, %v: !cta.buffer<2, 32x16xf16, #v>, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #s>
  %done:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %none, %other = %none) -> (tensor<64x32xf32, #s>, tensor<64x32xf32, #s>) : i32 {
    %s = cta.dot %k[%zero], %q[%zero], %sum : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    %g = cta.dot %k[%zero], %r[%zero], %other : !cta.buffer<1, 64x16xf16, #k>, !cta.buffer<2, 16x32xf16, #q> -> tensor<64x32xf32, #s> by #cta.wgmma<m64n32k16>
    scf.yield %s, %g : tensor<64x32xf32, #s>, tensor<64x32xf32, #s>
  }
  return
}
