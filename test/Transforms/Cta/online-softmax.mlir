// The maximum of a softmax over blocks is raised when it has grown by 2^8.
// RUN: triton-shared-opt %s --cta-online-softmax | FileCheck %s

// How far it grows is computed at once, and rows where that is little keep their number. Sums of rows are multiplied by
// e^0 then; larger ones are not multiplied.
// CHECK-LABEL: func.func @attention(
// CHECK: scf.for {{.*}} iter_args(%[[TOP:.*]] = %{{.*}}, %[[WEIGHT:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}})
// CHECK: %[[NEW:.*]] = arith.maxnumf %[[TOP]], %{{.*}}
// CHECK-NEXT: %[[GROWTH:.*]] = arith.subf %[[TOP]], %[[NEW]]
// CHECK-NEXT: %[[LEAST:.*]] = arith.constant dense<-8.000000e+00> : tensor<64xf32>
// CHECK-NEXT: %[[NEAR:.*]] = arith.cmpf oge, %[[GROWTH]], %[[LEAST]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.select %[[NEAR]], %[[TOP]], %[[NEW]]
// CHECK: cta.reshape %[[NUMBER]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[TOP]], %[[NUMBER]]
// CHECK: %[[FACTOR:.*]] = math.exp2 %[[DIFFERENCE]]
// CHECK: %[[COLUMN:.*]] = cta.reshape %[[FACTOR]]
// CHECK: %[[ALL:.*]] = cta.broadcast %[[COLUMN]]
// CHECK: %[[RESCALED:.*]] = cta.rescale %[[TOTAL]] by %[[ALL]]
// CHECK: cta.dot %{{.*}}, %{{.*}}, %[[RESCALED]]
// CHECK: arith.mulf %[[WEIGHT]], %[[FACTOR]]
// CHECK: scf.yield %[[NUMBER]]
func.func @attention(%scores: tensor<64x32xf32>, %v: tensor<32x16xf16>, %n: index) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero, %total = %zeros) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32>
    %0 = cta.reshape %new : tensor<64xf32> -> tensor<64x1xf32>
    %1 = cta.broadcast %0 : tensor<64x1xf32> -> tensor<64x32xf32>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32>
    %p = math.exp2 %2 : tensor<64x32xf32>
    %growth = arith.subf %top, %new : tensor<64xf32>
    %f = math.exp2 %growth : tensor<64xf32>
    %3 = cta.reshape %f : tensor<64xf32> -> tensor<64x1xf32>
    %4 = cta.broadcast %3 : tensor<64x1xf32> -> tensor<64x16xf32>
    %5 = arith.mulf %total, %4 : tensor<64x16xf32>
    %6 = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xf16>
    %7 = cta.dot %6, %v, %5 : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32>
    %10 = arith.addf %9, %8 : tensor<64xf32>
    scf.yield %new, %10, %7 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %w = cta.reshape %r#1 : tensor<64xf32> -> tensor<64x1xf32>
  %ws = cta.broadcast %w : tensor<64x1xf32> -> tensor<64x16xf32>
  %out = arith.divf %r#2, %ws : tensor<64x16xf32>
  return %out : tensor<64x16xf32>
}

// The maximum itself, and a sum that is relative to it, are results: they have to be what they are.
// CHECK-LABEL: func.func @maximum_and_sum(
// CHECK-NOT: arith.cmpf
func.func @maximum_and_sum(%scores: tensor<64x32xf32>, %n: index) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero) -> (tensor<64xf32>, tensor<64xf32>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32>
    %0 = cta.reshape %new : tensor<64xf32> -> tensor<64x1xf32>
    %1 = cta.broadcast %0 : tensor<64x1xf32> -> tensor<64x32xf32>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32>
    %p = math.exp2 %2 : tensor<64x32xf32>
    %growth = arith.subf %top, %new : tensor<64xf32>
    %f = math.exp2 %growth : tensor<64xf32>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32>
    %10 = arith.addf %9, %8 : tensor<64xf32>
    scf.yield %new, %10 : tensor<64xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}

// A power of another base than the sums are relative to is left over.
// CHECK-LABEL: func.func @two_bases(
// CHECK-NOT: arith.cmpf
func.func @two_bases(%scores: tensor<64x32xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero) -> (tensor<64xf32>, tensor<64xf32>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32>
    %0 = cta.reshape %new : tensor<64xf32> -> tensor<64x1xf32>
    %1 = cta.broadcast %0 : tensor<64x1xf32> -> tensor<64x32xf32>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32>
    %p = math.exp %2 : tensor<64x32xf32>
    %growth = arith.subf %top, %new : tensor<64xf32>
    %f = math.exp2 %growth : tensor<64xf32>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32>
    %10 = arith.addf %9, %8 : tensor<64xf32>
    scf.yield %new, %10 : tensor<64xf32>, tensor<64xf32>
  }
  %log = math.log2 %r#1 : tensor<64xf32>
  %out = arith.addf %r#0, %log : tensor<64xf32>
  return %out : tensor<64xf32>
}
