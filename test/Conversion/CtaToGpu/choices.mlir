// Reductions that take one of two tuples, as `tl.argmax` does, need no order if ties are decided by where elements are;
// a thread's own places are constants, and which of two comes first is known.

// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu | FileCheck %s

#a = #cta.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>
#s = #cta.layout<register = [], lane = [[], [], [], [], []], warp = []>

// Four registers become one before the first shuffle; what that one is, is an offset.
// CHECK-LABEL: gpu.func @first_of_largest(
// CHECK:         %[[PLACES:.*]] = arith.index_cast %{{.*}} : vector<4xindex> to vector<4xi32>
// CHECK:         %[[OWN:.*]] = vector.extract %[[PLACES]][0]
// CHECK-NOT:     arith.cmpi slt
// CHECK:         %[[OFFSET:.*]] = arith.addi %[[OWN]], %
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         nvvm.shfl.sync bfly
// CHECK-COUNT-4: arith.select
// CHECK:         arith.cmpi slt
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         gpu.return
func.func @first_of_largest(%p: memref<*xf32>, %o: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %at = cta.iota 0 : tensor<128xindex, #a>
  %places = arith.index_cast %at : tensor<128xindex, #a> to tensor<128xi32, #a>
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %0:2 = cta.reduce %v, %places axis 0 : (tensor<128xf32, #a>, tensor<128xi32, #a>) -> (tensor<f32, #s>, tensor<i32, #s>) {
  ^bb0(%l: f32, %i: i32, %r: f32, %j: i32):
    %equal = arith.cmpf oeq, %l, %r : f32
    %earlier = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %equal, %earlier : i1
    %larger = arith.cmpf ogt, %l, %r : f32
    %takes = arith.ori %larger, %tie : i1
    %value = arith.select %takes, %l, %r : f32
    %place = arith.select %takes, %i, %j : i32
    cta.yield %value, %place : f32, i32
  }
  %e = cta.extract %0#1[] : tensor<i32, #s>
  tts.store %e to %o[%zero] strides [] : i32, memref<*xi32>
  return
}

// Of equals it takes the right one, wherever that is: lanes put what they have in order.
// CHECK-LABEL: gpu.func @last_of_largest(
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         nvvm.shfl.sync bfly
// CHECK-COUNT-4: arith.select
// CHECK:         arith.cmpf ogt
func.func @last_of_largest(%p: memref<*xf32>, %o: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %at = cta.iota 0 : tensor<128xindex, #a>
  %places = arith.index_cast %at : tensor<128xindex, #a> to tensor<128xi32, #a>
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %0:2 = cta.reduce %v, %places axis 0 : (tensor<128xf32, #a>, tensor<128xi32, #a>) -> (tensor<f32, #s>, tensor<i32, #s>) {
  ^bb0(%l: f32, %i: i32, %r: f32, %j: i32):
    %takes = arith.cmpf ogt, %l, %r : f32
    %value = arith.select %takes, %l, %r : f32
    %place = arith.select %takes, %i, %j : i32
    cta.yield %value, %place : f32, i32
  }
  %e = cta.extract %0#1[] : tensor<i32, #s>
  tts.store %e to %o[%zero] strides [] : i32, memref<*xi32>
  return
}

// It looks for NaNs and takes the left one of two: that depends on the order, where there are any.
// CHECK-LABEL: gpu.func @any_nan(
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         nvvm.shfl.sync bfly
// CHECK-COUNT-4: arith.select
// CHECK:         arith.cmpf
func.func @any_nan(%p: memref<*xf32>, %o: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %at = cta.iota 0 : tensor<128xindex, #a>
  %places = arith.index_cast %at : tensor<128xindex, #a> to tensor<128xi32, #a>
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %0:2 = cta.reduce %v, %places axis 0 : (tensor<128xf32, #a>, tensor<128xi32, #a>) -> (tensor<f32, #s>, tensor<i32, #s>) {
  ^bb0(%l: f32, %i: i32, %r: f32, %j: i32):
    %nan = arith.cmpf uno, %l, %l : f32
    %equal = arith.cmpf oeq, %l, %r : f32
    %earlier = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %equal, %earlier : i1
    %larger = arith.cmpf ogt, %l, %r : f32
    %counts = arith.ori %larger, %tie : i1
    %takes = arith.ori %counts, %nan : i1
    %value = arith.select %takes, %l, %r : f32
    %place = arith.select %takes, %i, %j : i32
    cta.yield %value, %place : f32, i32
  }
  %e = cta.extract %0#1[] : tensor<i32, #s>
  tts.store %e to %o[%zero] strides [] : i32, memref<*xi32>
  return
}

// It takes the first NaN where one side is a NaN or both are, and asks whether they are alike: that depends on no order.
// CHECK-LABEL: gpu.func @first_nan_of_all(
// CHECK-COUNT-6: arith.select
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         gpu.return
func.func @first_nan_of_all(%p: memref<*xf32>, %o: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %at = cta.iota 0 : tensor<128xindex, #a>
  %places = arith.index_cast %at : tensor<128xindex, #a> to tensor<128xi32, #a>
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #a>
  %0:2 = cta.reduce %v, %places axis 0 : (tensor<128xf32, #a>, tensor<128xi32, #a>) -> (tensor<f32, #s>, tensor<i32, #s>) {
  ^bb0(%l: f32, %i: i32, %r: f32, %j: i32):
    %nan = arith.cmpf une, %l, %l : f32
    %right = arith.cmpf une, %r, %r : f32
    %not = arith.xori %right, %true : i1
    %alone = arith.andi %nan, %not : i1
    %alike = arith.cmpi eq, %nan, %right : i1
    %larger = arith.cmpf ogt, %l, %r : f32
    %equal = arith.cmpf oeq, %l, %r : f32
    %same = arith.ori %equal, %nan : i1
    %earlier = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %same, %earlier : i1
    %counts = arith.ori %larger, %tie : i1
    %both = arith.andi %alike, %counts : i1
    %takes = arith.ori %alone, %both : i1
    %value = arith.select %takes, %l, %r : f32
    %place = arith.select %takes, %i, %j : i32
    cta.yield %value, %place : f32, i32
  }
  %e = cta.extract %0#1[] : tensor<i32, #s>
  tts.store %e to %o[%zero] strides [] : i32, memref<*xi32>
  return
}
