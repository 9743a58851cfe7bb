// The largest of scaled elements is the largest element, scaled.
// RUN: triton-shared-opt %s --cta-scale-maxima | FileCheck %s

// A number that is above zero and not infinite keeps the order. With any other one, a branch before all else takes the
// largest product. What is left of the products comes behind the branch.
// CHECK-LABEL: func.func @largest(
// CHECK-SAME: %[[X:.*]]: tensor<64x64xf32>, %[[S:.*]]: f32)
// CHECK: %[[ALL:.*]] = cta.splat %[[S]] : tensor<64x64xf32>
// CHECK-NOT: arith.mulf
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[S]], %{{.*}} : f32
// CHECK: %[[FINITE:.*]] = arith.cmpf ole, %[[S]], %{{.*}} : f32
// CHECK: %[[ORDER:.*]] = arith.andi %[[ABOVE]], %[[FINITE]]
// CHECK: %[[RARE:.*]] = scf.if %[[ORDER]]
// CHECK:   scf.yield %{{.*}}
// CHECK: } else {
// CHECK:   %[[OTHER:.*]] = cta.opaque %[[S]] : f32
// CHECK:   %[[OTHERS:.*]] = cta.splat %[[OTHER]] : tensor<64x64xf32>
// CHECK:   %[[PRODUCTS:.*]] = arith.mulf %[[X]], %[[OTHERS]]
// CHECK:   cta.reduce %[[PRODUCTS]] axis 1
// CHECK:   arith.maxnumf
// CHECK: }
// CHECK: %[[R:.*]] = cta.reduce %[[X]] axis 1
// CHECK: arith.maxnumf
// CHECK: %[[ROWS:.*]] = cta.splat %[[S]] : tensor<64xf32>
// CHECK: %[[USUAL:.*]] = arith.mulf %[[R]], %[[ROWS]]
// CHECK: %[[IS_USUAL:.*]] = cta.splat %[[ORDER]] : tensor<64xi1>
// CHECK: arith.select %[[IS_USUAL]], %[[USUAL]], %[[RARE]]
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[ALL]]
// CHECK: arith.subf %[[Y]]
func.func @largest(%x: tensor<64x64xf32>, %s: f32) -> (tensor<64xf32>, tensor<64x64xf32>) attributes {cta.num_warps = 4 : i32} {
  %t = cta.splat %s : tensor<64x64xf32>
  %y = arith.mulf %x, %t : tensor<64x64xf32>
  %m = cta.reduce %y axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    cta.yield %0 : f32
  }
  %r = cta.reshape %m : tensor<64xf32> -> tensor<64x1xf32>
  %w = cta.broadcast %r : tensor<64x1xf32> -> tensor<64x64xf32>
  %d = arith.subf %y, %w : tensor<64x64xf32>
  return %m, %d : tensor<64xf32>, tensor<64x64xf32>
}

// The smallest, by a constant: no branch, and no product of elements where nothing else takes one.
// CHECK-LABEL: func.func @smallest(
// CHECK: %[[R:.*]] = cta.reduce %arg0 axis 1
// CHECK: arith.minimumf
// CHECK: %[[M:.*]] = arith.mulf %[[R]], %{{.*}} : tensor<64xf32>
// CHECK-NOT: arith.mulf
// CHECK: return %[[M]]
func.func @smallest(%x: tensor<64x64xf32>) -> tensor<64xf32> attributes {cta.num_warps = 4 : i32} {
  %t = arith.constant dense<0.125> : tensor<64x64xf32>
  %y = arith.mulf %t, %x : tensor<64x64xf32>
  %m = cta.reduce %y axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.minimumf %a, %b : f32
    cta.yield %0 : f32
  }
  return %m : tensor<64xf32>
}

// Products stay by a constant that turns the order round, and if something else takes them.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: scf.if
// CHECK-COUNT-2: cta.reduce %{{[0-9]+}} axis 1
// CHECK-NOT: cta.reduce
func.func @stay(%x: tensor<64x64xf32>, %s: f32) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) attributes {cta.num_warps = 4 : i32} {
  %negative = arith.constant dense<-1.0> : tensor<64x64xf32>
  %0 = arith.mulf %x, %negative : tensor<64x64xf32>
  %1 = cta.reduce %0 axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    cta.yield %m : f32
  }
  %t = cta.splat %s : tensor<64x64xf32>
  %2 = arith.mulf %x, %t : tensor<64x64xf32>
  %3 = cta.reduce %2 axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    cta.yield %m : f32
  }
  %4 = math.exp2 %2 : tensor<64x64xf32>
  return %1, %3, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
}

// One that is no number is the largest, scaled or not.
// CHECK-LABEL: func.func @largest_or_none(
// CHECK: scf.if
// CHECK: cta.opaque
// CHECK: arith.maximumf
// CHECK: cta.reduce %arg0 axis 1
// CHECK: arith.maximumf
func.func @largest_or_none(%x: tensor<64x64xf16>, %s: f16) -> tensor<64xf16> attributes {cta.num_warps = 4 : i32} {
  %t = cta.splat %s : tensor<64x64xf16>
  %y = arith.mulf %x, %t : tensor<64x64xf16>
  %m = cta.reduce %y axis 1 : (tensor<64x64xf16>) -> tensor<64xf16> {
  ^bb0(%a: f16, %b: f16):
    %0 = arith.maximumf %a, %b : f16
    cta.yield %0 : f16
  }
  return %m : tensor<64xf16>
}

// A thread of one warp would have 128 elements and as many products.
// CHECK-LABEL: func.func @many(
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: cta.reduce %[[Y]] axis 1
// CHECK-NOT: scf.if
func.func @many(%x: tensor<64x64xf32>, %s: f32) -> tensor<64xf32> attributes {cta.num_warps = 1 : i32} {
  %t = cta.splat %s : tensor<64x64xf32>
  %y = arith.mulf %x, %t : tensor<64x64xf32>
  %m = cta.reduce %y axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    cta.yield %0 : f32
  }
  return %m : tensor<64xf32>
}
