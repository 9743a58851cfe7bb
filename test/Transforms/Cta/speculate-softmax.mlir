// Powers are computed relative to the number of the turn before, and again where that was wrong.
// RUN: triton-shared-opt %s --cta-speculate-softmax --canonicalize --cse | FileCheck %s

#s = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#o = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
#column = #cta.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#v = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>
// Rows of scores lie across two warps.
#across = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]]>
#row_across = #cta.layout<register = [[8], [32]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [0]]>
#column_across = #cta.layout<register = [[8, 0], [32, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#o_across = #cta.layout<register = [[0, 1], [8, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>

// The search for the largest score is only where a sum is too large or no number, which tells also whether there was a
// score before. What was summed up before is multiplied behind the branch, and powers become narrow there. The product
// takes either powers.
// CHECK-LABEL: func.func @turn(
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant dense<3.276800e+04> : tensor<64xf32
// CHECK: scf.for {{.*}} iter_args(%[[TOP:[^ ]*]] = %{{.*}}, %[[WEIGHT:[^ ]*]] = %{{.*}}, %[[TOTAL:[^ ]*]] = %{{.*}})
// CHECK-NOT: arith.maxnumf
// CHECK: cta.reshape %[[TOP]]
// CHECK: %[[POWERS:.*]] = math.exp2
// CHECK: %[[SUMS:.*]] = cta.reduce %[[POWERS]] axis 1
// CHECK: %[[NEXT:.*]] = arith.addf %[[WEIGHT]], %[[SUMS]]
// CHECK: %[[LARGE:.*]] = arith.cmpf ugt, %[[SUMS]], %[[LIMIT]]
// CHECK: %[[AGAIN:.*]] = cta.warp_any %[[LARGE]] :
// CHECK: %[[RESULTS:.*]]:4 = scf.if %[[AGAIN]]
// CHECK: arith.maxnumf
// CHECK: %[[NUMBER:.*]] = arith.select {{.*}} {cta.relative}
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[TOP]], %[[POWERS]], %[[TOTAL]], %[[NEXT]] :
// CHECK: %[[FEW:.*]] = arith.truncf %[[RESULTS]]#1
// CHECK: %[[D:.*]] = cta.dot %[[FEW]], %{{.*}}, %[[RESULTS]]#2
// CHECK: scf.yield %[[RESULTS]]#0, %[[RESULTS]]#3, %[[D]]
func.func @turn(%scores: tensor<64x32xf32, #s>, %v: !cta.buffer<1, 32x16xf16, #v>, %n: index) -> (tensor<64xf32, #row>, tensor<64x16xf32, #o>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %least = arith.constant dense<-8.0> : tensor<64xf32, #row>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero, %total = %zeros) -> (tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32, #row>
    %growth = arith.subf %top, %new : tensor<64xf32, #row>
    %near = arith.cmpf oge, %growth, %least : tensor<64xf32, #row>
    %number = arith.select %near, %top, %new {cta.relative} : tensor<64xi1, #row>, tensor<64xf32, #row>
    %0 = cta.reshape %number : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %1 = cta.broadcast %0 : tensor<64x1xf32, #column> -> tensor<64x32xf32, #s>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32, #s>
    %p = math.exp2 %2 : tensor<64x32xf32, #s>
    %difference = arith.subf %top, %number : tensor<64xf32, #row>
    %f = math.exp2 %difference {cta.relative} : tensor<64xf32, #row>
    %3 = cta.reshape %f : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %4 = cta.broadcast %3 : tensor<64x1xf32, #column> -> tensor<64x16xf32, #o>
    %5 = cta.rescale %total by %4 : tensor<64x16xf32, #o>
    %6 = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %7 = cta.dot %6, %v[%slot], %5 : tensor<64x32xf16, #s>, !cta.buffer<1, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32, #row>
    %10 = arith.addf %9, %8 : tensor<64xf32, #row>
    scf.yield %number, %10, %7 : tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>
  }
  return %r#1, %r#2 : tensor<64xf32, #row>, tensor<64x16xf32, #o>
}

// Sums of something else do not tell how large a power is.
// CHECK-LABEL: func.func @other_sums(
// CHECK-NOT: cta.warp_any
func.func @other_sums(%scores: tensor<64x32xf32, #s>, %v: !cta.buffer<1, 32x16xf16, #v>, %n: index) -> (tensor<64xf32, #row>, tensor<64x16xf32, #o>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %least = arith.constant dense<-8.0> : tensor<64xf32, #row>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero, %total = %zeros) -> (tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32, #row>
    %growth = arith.subf %top, %new : tensor<64xf32, #row>
    %near = arith.cmpf oge, %growth, %least : tensor<64xf32, #row>
    %number = arith.select %near, %top, %new {cta.relative} : tensor<64xi1, #row>, tensor<64xf32, #row>
    %0 = cta.reshape %number : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %1 = cta.broadcast %0 : tensor<64x1xf32, #column> -> tensor<64x32xf32, #s>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32, #s>
    %p = math.exp2 %2 : tensor<64x32xf32, #s>
    %difference = arith.subf %top, %number : tensor<64xf32, #row>
    %f = math.exp2 %difference {cta.relative} : tensor<64xf32, #row>
    %3 = cta.reshape %f : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %4 = cta.broadcast %3 : tensor<64x1xf32, #column> -> tensor<64x16xf32, #o>
    %5 = cta.rescale %total by %4 : tensor<64x16xf32, #o>
    %6 = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf16, #s>
    %7 = cta.dot %6, %v[%slot], %5 : tensor<64x32xf16, #s>, !cta.buffer<1, 32x16xf16, #v> -> tensor<64x16xf32, #o> by #cta.wgmma<m64n16k16, registers>
    %twice = arith.addf %p, %p : tensor<64x32xf32, #s>
    %8 = cta.reduce %twice axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32, #row>
    %10 = arith.addf %9, %8 : tensor<64xf32, #row>
    scf.yield %number, %10, %7 : tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>
  }
  return %r#1, %r#2 : tensor<64xf32, #row>, tensor<64x16xf32, #o>
}

// A type that does not hold such powers.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: cta.warp_any
func.func @narrow(%scores: tensor<64x32xf32, #s>, %v: !cta.buffer<1, 32x16xf8E4M3FN, #v>, %n: index) -> (tensor<64xf32, #row>, tensor<64x16xf32, #o>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %least = arith.constant dense<-8.0> : tensor<64xf32, #row>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero, %total = %zeros) -> (tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32, #row>
    %growth = arith.subf %top, %new : tensor<64xf32, #row>
    %near = arith.cmpf oge, %growth, %least : tensor<64xf32, #row>
    %number = arith.select %near, %top, %new {cta.relative} : tensor<64xi1, #row>, tensor<64xf32, #row>
    %0 = cta.reshape %number : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %1 = cta.broadcast %0 : tensor<64x1xf32, #column> -> tensor<64x32xf32, #s>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32, #s>
    %p = math.exp2 %2 : tensor<64x32xf32, #s>
    %difference = arith.subf %top, %number : tensor<64xf32, #row>
    %f = math.exp2 %difference {cta.relative} : tensor<64xf32, #row>
    %3 = cta.reshape %f : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %4 = cta.broadcast %3 : tensor<64x1xf32, #column> -> tensor<64x16xf32, #o>
    %5 = cta.rescale %total by %4 : tensor<64x16xf32, #o>
    %6 = arith.truncf %p : tensor<64x32xf32, #s> to tensor<64x32xf8E4M3FN, #s>
    %7 = arith.mulf %5, %5 : tensor<64x16xf32, #o>
    %back = arith.extf %6 : tensor<64x32xf8E4M3FN, #s> to tensor<64x32xf32, #s>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32, #row>
    %10 = arith.addf %9, %8 : tensor<64xf32, #row>
    scf.yield %number, %10, %7 : tensor<64xf32, #row>, tensor<64xf32, #row>, tensor<64x16xf32, #o>
  }
  return %r#1, %r#2 : tensor<64xf32, #row>, tensor<64x16xf32, #o>
}

// Warps would have to agree about their rows.
// CHECK-LABEL: func.func @across_warps(
// CHECK-NOT: cta.warp_any
func.func @across_warps(%scores: tensor<64x32xf32, #across>, %v: !cta.buffer<1, 32x16xf16, #v>, %n: index) -> (tensor<64xf32, #row_across>, tensor<64x16xf32, #o_across>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %least = arith.constant dense<-8.0> : tensor<64xf32, #row_across>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row_across>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row_across>
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #o_across>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero, %total = %zeros) -> (tensor<64xf32, #row_across>, tensor<64xf32, #row_across>, tensor<64x16xf32, #o_across>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32, #across>) -> tensor<64xf32, #row_across> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32, #row_across>
    %growth = arith.subf %top, %new : tensor<64xf32, #row_across>
    %near = arith.cmpf oge, %growth, %least : tensor<64xf32, #row_across>
    %number = arith.select %near, %top, %new {cta.relative} : tensor<64xi1, #row_across>, tensor<64xf32, #row_across>
    %0 = cta.reshape %number : tensor<64xf32, #row_across> -> tensor<64x1xf32, #column_across>
    %1 = cta.broadcast %0 : tensor<64x1xf32, #column_across> -> tensor<64x32xf32, #across>
    %2 = arith.subf %scores, %1 : tensor<64x32xf32, #across>
    %p = math.exp2 %2 : tensor<64x32xf32, #across>
    %difference = arith.subf %top, %number : tensor<64xf32, #row_across>
    %f = math.exp2 %difference {cta.relative} : tensor<64xf32, #row_across>
    %3 = cta.reshape %f : tensor<64xf32, #row_across> -> tensor<64x1xf32, #column_across>
    %4 = cta.broadcast %3 : tensor<64x1xf32, #column_across> -> tensor<64x16xf32, #o_across>
    %5 = cta.rescale %total by %4 : tensor<64x16xf32, #o_across>
    %6 = arith.truncf %p : tensor<64x32xf32, #across> to tensor<64x32xf16, #across>
    %7 = arith.mulf %5, %5 : tensor<64x16xf32, #o_across>
    %8 = cta.reduce %p axis 1 : (tensor<64x32xf32, #across>) -> tensor<64xf32, #row_across> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32, #row_across>
    %10 = arith.addf %9, %8 : tensor<64xf32, #row_across>
    scf.yield %number, %10, %7 : tensor<64xf32, #row_across>, tensor<64xf32, #row_across>, tensor<64x16xf32, #o_across>
  }
  return %r#1, %r#2 : tensor<64xf32, #row_across>, tensor<64x16xf32, #o_across>
}

// Scores that are a product of buffers are computed again from these, by each warp for itself: 32 columns at a time, in
// steps of 16. No branch takes the scores of before. The buffers are given back behind the branch, by each warp.
#q = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#k = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]>
#wide = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: func.func @product(
// CHECK: %[[FREE:.*]] = cta.mbarriers arrivals 4
// CHECK: %[[PRODUCT:.*]] = cta.dot {{.*}} goes_on
// CHECK: %[[SCORES:.*]] = cta.wait_dot %[[PRODUCT]]
// CHECK: scf.if
// CHECK-NOT: %[[SCORES]]{{[^0-9]}}
// CHECK: cta.read %{{.*}} [0, 0] : {{.*}} -> tensor<64x16xf16
// CHECK: cta.read %{{.*}} [0, 0] : {{.*}} -> tensor<16x32xf16
// CHECK: cta.dot {{.*}} by #cta.mma<m16n8k16, f16>
// CHECK: cta.read %{{.*}} [0, 16] : {{.*}} -> tensor<64x16xf16
// CHECK: cta.read %{{.*}} [16, 0] : {{.*}} -> tensor<16x32xf16
// CHECK: cta.dot {{.*}} by #cta.mma<m16n8k16, f16>
// CHECK: cta.insert_slice {{.*}} [0, 0]
// CHECK: cta.read %{{.*}} [0, 32] : {{.*}} -> tensor<16x32xf16
// CHECK: cta.insert_slice {{.*}} [0, 32]
// CHECK: arith.maxnumf
// CHECK-NOT: %[[SCORES]]{{[^0-9]}}
// CHECK: } else {
// CHECK: cta.arrive %[[FREE]][%{{.*}}] if %{{.*}} by_warps
// CHECK: cta.wait_dot
func.func @product(%q: !cta.buffer<1, 64x64xf16, #q>, %k: !cta.buffer<1, 64x64xf16, #k>, %other: tensor<64x64xf32, #wide>, %n: index) -> (tensor<64xf32, #row>, tensor<64x64xf32, #wide>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slot = arith.constant 0 : i32
  %true = arith.constant true
  %least = arith.constant dense<-8.0> : tensor<64xf32, #row>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
  %free = cta.mbarriers arrivals 1 : <1>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) {
    %d = cta.dot %q[%slot], %k[%slot], %zeros goes_on : !cta.buffer<1, 64x64xf16, #q>, !cta.buffer<1, 64x64xf16, #k> -> tensor<64x64xf32, #wide> by #cta.wgmma<m64n64k16>
    %scores = cta.wait_dot %d but 1 : tensor<64x64xf32, #wide>
    cta.arrive %free[%slot] if %true : <1>
    %m = cta.reduce %scores axis 1 : (tensor<64x64xf32, #wide>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %top, %m : tensor<64xf32, #row>
    %growth = arith.subf %top, %new : tensor<64xf32, #row>
    %near = arith.cmpf oge, %growth, %least : tensor<64xf32, #row>
    %number = arith.select %near, %top, %new {cta.relative} : tensor<64xi1, #row>, tensor<64xf32, #row>
    %0 = cta.reshape %number : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %1 = cta.broadcast %0 : tensor<64x1xf32, #column> -> tensor<64x64xf32, #wide>
    %2 = arith.subf %scores, %1 : tensor<64x64xf32, #wide>
    %p = math.exp2 %2 : tensor<64x64xf32, #wide>
    %difference = arith.subf %top, %number : tensor<64xf32, #row>
    %f = math.exp2 %difference {cta.relative} : tensor<64xf32, #row>
    %8 = cta.reduce %p axis 1 : (tensor<64x64xf32, #wide>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %9 = arith.mulf %weight, %f : tensor<64xf32, #row>
    %10 = arith.addf %9, %8 : tensor<64xf32, #row>
    %done = cta.wait_dot %other : tensor<64x64xf32, #wide>
    scf.yield %number, %10 : tensor<64xf32, #row>, tensor<64xf32, #row>
  }
  return %r#1, %other : tensor<64xf32, #row>, tensor<64x64xf32, #wide>
}
