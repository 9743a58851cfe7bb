// Where products take long, the first one of a turn is begun a turn ahead, and the last one goes on while powers are computed.
// RUN: triton-shared-opt %s --cta-take-turns | FileCheck %s

#s = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#k = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]]>
#v = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0], [0, 64]]>

// A loop of no turns has no product before it. The first product is begun before the loop, in a turn of its own.
// CHECK-LABEL: func.func @attention(
// CHECK: } consumers {
// CHECK-NEXT: cta.pass_turn first
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %[[N:.*]] : i32
// CHECK: scf.if %[[ANY]]
// CHECK: cta.wait_mbarrier %[[KFULL:[a-z0-9]+]]
// CHECK-NEXT: cta.wait_turn
// CHECK-NEXT: %[[S0:.*]] = cta.dot {{.*}} goes_on
// CHECK-NEXT: cta.pass_turn
// CHECK-NEXT: cta.wait_dot %[[S0]]
// CHECK-NEXT: cta.arrive
// CHECK: math.exp2
// CHECK: cta.wait_mbarrier %[[VFULL:[a-z0-9]+]]
// The loop leaves out the last turn, which has no next one.
// CHECK: arith.maxsi %[[N]]
// CHECK: %[[LAST:.*]] = arith.subi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LAST]]
// CHECK: cta.wait_mbarrier %[[KFULL]]
// CHECK-NEXT: cta.wait_turn
// CHECK-NEXT: %[[S:.*]] = cta.dot {{.*}} goes_on {{.*}} by #cta.wgmma<m64n128k16>
// CHECK-NEXT: %[[O:.*]] = cta.dot {{.*}} goes_on {{.*}} by #cta.wgmma<m64n128k16, registers>
// CHECK-NEXT: cta.pass_turn
// CHECK-NEXT: cta.wait_dot %[[S]] but 1
// CHECK-NEXT: cta.arrive
// CHECK: math.exp2
// CHECK: cta.wait_mbarrier %[[VFULL]]
// CHECK-NEXT: %[[SUM:.*]] = cta.wait_dot %[[O]] :
// CHECK-NEXT: cta.arrive
// CHECK-NEXT: arith.mulf %[[SUM]]
// CHECK: scf.yield
// CHECK: cta.wait_turn
// CHECK-NEXT: %[[END:.*]] = cta.dot {{.*}} goes_on
// CHECK-NEXT: cta.pass_turn
// CHECK-NEXT: cta.wait_dot %[[END]]
// CHECK-NEXT: cta.arrive
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: cta.wait_turn first
func.func @attention(%q: !cta.buffer<1, 128x128xf16, #v>, %k: !cta.buffer<2, 128x128xf16, #k>, %v: !cta.buffer<2, 128x128xf16, #v>, %n: i32,
    %kfull: !cta.mbarriers<2>, %kfree: !cta.mbarriers<2>, %vfull: !cta.mbarriers<2>, %vfree: !cta.mbarriers<2>, %shrink: tensor<128x128xf32, #s>)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #s>
  cta.specialize producer {
  } consumers {
    %r:3 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %slot = %zero, %phase = %zero) -> (tensor<128x128xf32, #s>, i32, i32) : i32 {
      cta.wait_mbarrier %kfull[%slot] phase %phase : !cta.mbarriers<2>
      %s = cta.dot %q[%zero], %k[%slot], %zeros : !cta.buffer<1, 128x128xf16, #v>, !cta.buffer<2, 128x128xf16, #k> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16>
      cta.arrive %kfree[%slot] if %true : !cta.mbarriers<2>
      %p = math.exp2 %s : tensor<128x128xf32, #s>
      %h = arith.truncf %p : tensor<128x128xf32, #s> to tensor<128x128xf16, #s>
      %less = arith.mulf %sum, %shrink : tensor<128x128xf32, #s>
      cta.wait_mbarrier %vfull[%slot] phase %phase : !cta.mbarriers<2>
      %d = cta.dot %h, %v[%slot], %less : tensor<128x128xf16, #s>, !cta.buffer<2, 128x128xf16, #v> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16, registers>
      cta.arrive %vfree[%slot] if %true : !cta.mbarriers<2>
      %next = arith.xori %slot, %one : i32
      %flip = arith.xori %phase, %slot : i32
      scf.yield %d, %next, %flip : tensor<128x128xf32, #s>, i32, i32
    }
  }
  return
}

// One slot has to be free before the next values are there.
// CHECK-LABEL: func.func @one_slot(
// CHECK: cta.wait_turn
// CHECK-NEXT: scf.for
func.func @one_slot(%q: !cta.buffer<1, 128x128xf16, #v>, %k: !cta.buffer<2, 128x128xf16, #k>, %v: !cta.buffer<1, 128x128xf16, #v>, %n: i32,
    %kfull: !cta.mbarriers<2>, %vfull: !cta.mbarriers<1>, %vfree: !cta.mbarriers<1>)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #s>
  cta.specialize producer {
  } consumers {
    %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %slot = %zero) -> (tensor<128x128xf32, #s>, i32) : i32 {
      cta.wait_mbarrier %kfull[%slot] phase %zero : !cta.mbarriers<2>
      %s = cta.dot %q[%zero], %k[%slot], %zeros : !cta.buffer<1, 128x128xf16, #v>, !cta.buffer<2, 128x128xf16, #k> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16>
      %p = math.exp2 %s : tensor<128x128xf32, #s>
      %h = arith.truncf %p : tensor<128x128xf32, #s> to tensor<128x128xf16, #s>
      cta.wait_mbarrier %vfull[%zero] phase %slot : !cta.mbarriers<1>
      %d = cta.dot %h, %v[%zero], %sum : tensor<128x128xf16, #s>, !cta.buffer<1, 128x128xf16, #v> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16, registers>
      cta.arrive %vfree[%zero] if %true : !cta.mbarriers<1>
      %next = arith.xori %slot, %one : i32
      scf.yield %d, %next : tensor<128x128xf32, #s>, i32
    }
  }
  return
}

// Masks take the registers of their places.
// CHECK-LABEL: func.func @masked(
// CHECK: cta.wait_turn
// CHECK-NEXT: scf.for
func.func @masked(%q: !cta.buffer<1, 128x128xf16, #v>, %k: !cta.buffer<2, 128x128xf16, #k>, %v: !cta.buffer<2, 128x128xf16, #v>, %n: i32,
    %kfull: !cta.mbarriers<2>, %vfull: !cta.mbarriers<2>, %places: tensor<128x128xi32, #s>)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #s>
  cta.specialize producer {
  } consumers {
    %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %slot = %zero) -> (tensor<128x128xf32, #s>, i32) : i32 {
      cta.wait_mbarrier %kfull[%slot] phase %zero : !cta.mbarriers<2>
      %s = cta.dot %q[%zero], %k[%slot], %zeros : !cta.buffer<1, 128x128xf16, #v>, !cta.buffer<2, 128x128xf16, #k> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16>
      %at = cta.splat %t : tensor<128x128xi32, #s>
      %below = arith.cmpi slt, %places, %at : tensor<128x128xi32, #s>
      %seen = arith.select %below, %s, %zeros : tensor<128x128xi1, #s>, tensor<128x128xf32, #s>
      %p = math.exp2 %seen : tensor<128x128xf32, #s>
      %h = arith.truncf %p : tensor<128x128xf32, #s> to tensor<128x128xf16, #s>
      cta.wait_mbarrier %vfull[%slot] phase %zero : !cta.mbarriers<2>
      %d = cta.dot %h, %v[%slot], %sum : tensor<128x128xf16, #s>, !cta.buffer<2, 128x128xf16, #v> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k16, registers>
      %next = arith.xori %slot, %one : i32
      scf.yield %d, %next : tensor<128x128xf32, #s>, i32
    }
  }
  return
}

// Powers that lanes exchange are there before the last product has read those of the turn before: they are moved behind that.
#e = #cta.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32], [0, 64]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#k8 = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [16, 1], [32, 2], [64, 4], [0, 8], [0, 16], [0, 32], [0, 64]]>
#q8 = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [2, 32], [4, 64], [8, 0], [16, 0], [32, 0], [64, 0]]>
// CHECK-LABEL: func.func @bytes(
// CHECK: scf.for {{.*}} iter_args(%[[LEFT:[a-z0-9]+]] = 
// CHECK: %[[O:.*]] = cta.dot %[[LEFT]], {{.*}} goes_on {{.*}} by #cta.wgmma<m64n128k32, registers>
// CHECK: %[[NEXT:.*]] = cta.convert_layout
// CHECK: cta.wait_dot %[[O]] :
// CHECK-NEXT: %[[MOVED:.*]] = cta.move %[[NEXT]]
// CHECK: scf.yield %[[MOVED]],
func.func @bytes(%q: !cta.buffer<1, 128x128xf8E5M2, #q8>, %k: !cta.buffer<2, 128x128xf8E5M2, #k8>, %v: !cta.buffer<2, 128x128xf8E5M2, #k8>, %n: i32,
    %kfull: !cta.mbarriers<2>, %kfree: !cta.mbarriers<2>, %vfull: !cta.mbarriers<2>, %vfree: !cta.mbarriers<2>, %shrink: tensor<128x128xf32, #s>)
    attributes {cta.num_warps = 8 : i32, cta.producer_warps = 1 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #s>
  cta.specialize producer {
  } consumers {
    %r = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<128x128xf32, #s>) : i32 {
      cta.wait_mbarrier %kfull[%zero] phase %zero : !cta.mbarriers<2>
      %s = cta.dot %q[%zero], %k[%zero], %zeros imprecise 1073741824 : !cta.buffer<1, 128x128xf8E5M2, #q8>, !cta.buffer<2, 128x128xf8E5M2, #k8> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k32>
      cta.arrive %kfree[%zero] if %true : !cta.mbarriers<2>
      %p = math.exp2 %s : tensor<128x128xf32, #s>
      %h = arith.truncf %p : tensor<128x128xf32, #s> to tensor<128x128xf8E5M2, #s>
      %c = cta.convert_layout %h : tensor<128x128xf8E5M2, #s> -> tensor<128x128xf8E5M2, #e>
      %less = arith.mulf %sum, %shrink : tensor<128x128xf32, #s>
      cta.wait_mbarrier %vfull[%zero] phase %zero : !cta.mbarriers<2>
      %d = cta.dot %c, %v[%zero], %less imprecise 1073741824 : tensor<128x128xf8E5M2, #e>, !cta.buffer<2, 128x128xf8E5M2, #k8> -> tensor<128x128xf32, #s> by #cta.wgmma<m64n128k32, registers>
      cta.arrive %vfree[%zero] if %true : !cta.mbarriers<2>
      scf.yield %d : tensor<128x128xf32, #s>
    }
  }
  return
}
