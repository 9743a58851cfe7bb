// Threads that share a row of a softmax go on with their parts of its sum.
// RUN: triton-shared-opt %s --cta-sum-in-threads --canonicalize --cse | FileCheck %s

// Columns 0 and 1, and each eighth further, are those of one thread; four share a row.
#s = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #cta.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
// Rows lie across two warps, whose parts are further apart than those of lanes.
#across = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]]>
#row_across = #cta.layout<register = [[8], [32]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [0]]>
// A thread has all of a row.
#whole = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]]>
#row_whole = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>

// The loop begins with nothing; behind it, parts are added up.
// CHECK-LABEL: func.func @turn(
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32, #[[PARTS:.*]]>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[TOP:[^ ]*]] = %{{.*}}, %[[BEFORE:[^ ]*]] = %[[ZEROS]])
// CHECK: %[[POWERS:.*]] = math.exp2 %{{.*}} : tensor<64x32xf32
// CHECK: %[[FACTOR:.*]] = math.exp2 %{{.*}} : tensor<64xf32
// CHECK: %[[COLUMN:.*]] = cta.reshape %[[FACTOR]] : tensor<64xf32, {{.*}}> -> tensor<64x1xf32
// CHECK: %[[FACTORS:.*]] = cta.broadcast %[[COLUMN]] : {{.*}} -> tensor<64x4xf32, #[[PARTS]]>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[BEFORE]], %[[FACTORS]]
// CHECK: %[[SPLIT:.*]] = cta.reshape %[[POWERS]] : {{.*}} -> tensor<64x4x4x2xf32
// CHECK: %[[PAIRS:.*]] = cta.reduce %[[SPLIT]] axis 3
// CHECK: %[[SUMS:.*]] = cta.reduce %[[PAIRS]] axis 1
// CHECK: %[[NEXT:.*]] = arith.addf %[[SCALED]], %[[SUMS]] : tensor<64x4xf32, #[[PARTS]]>
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: %[[SUM:.*]] = cta.reduce %[[LOOP]]#1 axis 1 : (tensor<64x4xf32, #[[PARTS]]>) -> tensor<64xf32
// CHECK: return %[[SUM]]
func.func @turn(%scores: tensor<64x32xf32, #s>, %n: index) -> tensor<64xf32, #row> attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %zero) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) {
    %m = cta.reduce %scores axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      cta.yield %x : f32
    }
    %new = arith.maxnumf %m, %top : tensor<64xf32, #row>
    %p = math.exp2 %scores : tensor<64x32xf32, #s>
    %difference = arith.subf %top, %new : tensor<64xf32, #row>
    %f = math.exp2 %difference : tensor<64xf32, #row>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %weight, %f : tensor<64xf32, #row>
    %next = arith.addf %scaled, %sum : tensor<64xf32, #row>
    scf.yield %new, %next : tensor<64xf32, #row>, tensor<64xf32, #row>
  }
  return %r#1 : tensor<64xf32, #row>
}

// What there is before is all in the first part; a second loop goes on with the parts of the first one. Warps have
// parts as lanes do.
// CHECK-LABEL: func.func @two_loops(
// CHECK: %[[NUMBER:.*]] = cta.iota 1 : tensor<64x8xi32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]]
// CHECK: %[[BEGIN:.*]] = arith.select %[[FIRST]]
// CHECK: %[[ONE:.*]]:2 = scf.for {{.*}} = %[[BEGIN]]) -> ({{.*}}, tensor<64x8xf32
// CHECK: %[[TWO:.*]]:2 = scf.for {{.*}} = %[[ONE]]#1) -> ({{.*}}, tensor<64x8xf32
// CHECK: %[[SUM:.*]] = cta.reduce %[[TWO]]#1 axis 1
// CHECK: return %[[SUM]]
func.func @two_loops(%scores: tensor<64x32xf32, #across>, %begin: tensor<64xf32, #row_across>, %n: index) -> tensor<64xf32, #row_across> attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<64xf32, #row_across>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %begin) -> (tensor<64xf32, #row_across>, tensor<64xf32, #row_across>) {
    %new = arith.maxnumf %begin, %top : tensor<64xf32, #row_across>
    %p = math.exp2 %scores : tensor<64x32xf32, #across>
    %difference = arith.subf %top, %new : tensor<64xf32, #row_across>
    %f = math.exp2 %difference : tensor<64xf32, #row_across>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #across>) -> tensor<64xf32, #row_across> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %f, %weight : tensor<64xf32, #row_across>
    %next = arith.addf %sum, %scaled : tensor<64xf32, #row_across>
    scf.yield %new, %next : tensor<64xf32, #row_across>, tensor<64xf32, #row_across>
  }
  %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %r#0, %weight = %r#1) -> (tensor<64xf32, #row_across>, tensor<64xf32, #row_across>) {
    %new = arith.maximumf %begin, %top : tensor<64xf32, #row_across>
    %p = math.exp %scores : tensor<64x32xf32, #across>
    %difference = arith.subf %top, %new : tensor<64xf32, #row_across>
    %f = math.exp %difference : tensor<64xf32, #row_across>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #across>) -> tensor<64xf32, #row_across> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %weight, %f : tensor<64xf32, #row_across>
    %next = arith.addf %scaled, %sum : tensor<64xf32, #row_across>
    scf.yield %new, %next : tensor<64xf32, #row_across>, tensor<64xf32, #row_across>
  }
  return %q#1 : tensor<64xf32, #row_across>
}

// A factor that may be above one could be infinite, and parts of zero would be no numbers then.
// CHECK-LABEL: func.func @any_factor(
// CHECK-NOT: tensor<64x4xf32
func.func @any_factor(%scores: tensor<64x32xf32, #s>, %f: tensor<64xf32, #row>, %n: index) -> tensor<64xf32, #row> attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%weight = %zero) -> (tensor<64xf32, #row>) {
    %p = math.exp2 %scores : tensor<64x32xf32, #s>
    %power = math.exp2 %f : tensor<64xf32, #row>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %weight, %power : tensor<64xf32, #row>
    %next = arith.addf %scaled, %sum : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  return %r : tensor<64xf32, #row>
}

// A turn that asks for the sum, and one whose threads have whole rows.
// CHECK-LABEL: func.func @asked_for(
// CHECK-NOT: cta.reshape
// CHECK: return
func.func @asked_for(%scores: tensor<64x32xf32, #s>, %rows: tensor<64x32xf32, #whole>, %n: index) -> (tensor<64xf32, #row>, tensor<64xf32, #row_whole>) attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%weight = %zero) -> (tensor<64xf32, #row>) {
    %p = math.exp2 %scores : tensor<64x32xf32, #s>
    %new = arith.maxnumf %weight, %zero : tensor<64xf32, #row>
    %difference = arith.subf %weight, %new : tensor<64xf32, #row>
    %f = math.exp2 %difference : tensor<64xf32, #row>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #s>) -> tensor<64xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %weight, %f : tensor<64xf32, #row>
    %next = arith.addf %scaled, %sum : tensor<64xf32, #row>
    scf.yield %next : tensor<64xf32, #row>
  }
  %none = arith.constant dense<0.0> : tensor<64xf32, #row_whole>
  %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%top = %none, %weight = %none) -> (tensor<64xf32, #row_whole>, tensor<64xf32, #row_whole>) {
    %p = math.exp2 %rows : tensor<64x32xf32, #whole>
    %new = arith.maxnumf %top, %none : tensor<64xf32, #row_whole>
    %difference = arith.subf %top, %new : tensor<64xf32, #row_whole>
    %f = math.exp2 %difference : tensor<64xf32, #row_whole>
    %sum = cta.reduce %p axis 1 : (tensor<64x32xf32, #whole>) -> tensor<64xf32, #row_whole> {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      cta.yield %x : f32
    }
    %scaled = arith.mulf %weight, %f : tensor<64xf32, #row_whole>
    %next = arith.addf %scaled, %sum : tensor<64xf32, #row_whole>
    scf.yield %new, %next : tensor<64xf32, #row_whole>, tensor<64xf32, #row_whole>
  }
  return %r, %q#1 : tensor<64xf32, #row>, tensor<64xf32, #row_whole>
}
