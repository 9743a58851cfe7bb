// What computes before it writes meets the others then.
// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s

#a = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#one = #cta.layout<register = [], lane = [[], [], [], [], []], warp = [[]]>
// CHECK-LABEL: func.func @sums(
// CHECK-NOT: gpu.barrier
// CHECK: cta.reduce {{.*}} {cta.shared_barrier, cta.shared_offset = 0 : i64}
// CHECK-LABEL: func.func @running_sums(
// CHECK-NOT: gpu.barrier
// CHECK: cta.scan {{.*}} {cta.shared_barrier, cta.shared_offset = 0 : i64}
func.func @sums(%x: tensor<128xf32, #a>, %n: i32) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %0 = cta.reduce %x axis 0 : (tensor<128xf32, #a>) -> tensor<f32, #one> {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      cta.yield %s : f32
    }
  }
  return
}
func.func @running_sums(%x: tensor<128xf32, #a>, %n: i32) attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %0 = cta.scan %x axis 0 : (tensor<128xf32, #a>) -> tensor<128xf32, #a> {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      cta.yield %s : f32
    }
  }
  return
}
