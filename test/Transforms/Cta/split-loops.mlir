// Turns of a loop of products in which a mask cuts nothing get a loop of their own, without it.
// RUN: triton-shared-opt %s --cta-split-loops --canonicalize | FileCheck %s

// Rows see the columns up to their own: of 64 rows and 64 columns that is all of them up to column first - 63.
// CHECK-LABEL: func.func @causal(
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i32
// CHECK: %[[COUNT:.*]] = arith.divui
// CHECK: arith.addi %{{.*}}, %c1_i64
// CHECK: %[[TURNS:.*]] = arith.divui
// CHECK: %[[LESS:.*]] = arith.minsi %[[COUNT]], %[[TURNS]]
// CHECK: %[[UP:.*]] = arith.muli %[[LESS]], %c64_i64
// CHECK: %[[TO:.*]] = arith.trunci %[[UP]]
// CHECK: %[[WIDE:.*]] = scf.for %{{.*}} = %c0_i32 to %[[TO]] step %c64_i32
// CHECK-NEXT: %[[S:.*]] = cta.dot
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: scf.for %{{.*}} = %[[TO]] to %{{.*}} step %c64_i32 iter_args(%{{.*}} = %[[WIDE]])
// CHECK: %[[SEEN:.*]] = arith.cmpi sge
// CHECK: arith.select %[[SEEN]]
func.func @causal(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %first: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %end = arith.addi %first, %c64_i32 : i32
  %i0 = cta.iota 0 : tensor<64x64xi32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %f = cta.splat %first : tensor<64x64xi32>
  %rows = arith.addi %f, %i0 : tensor<64x64xi32>
  %r = scf.for %i = %c0_i32 to %end step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %seen = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
    %m = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// A window has turns with its mask on either side.
// CHECK-LABEL: func.func @window(
// CHECK: %[[BEFORE:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FROM:[a-z0-9_]+]] step
// CHECK: arith.cmpi slt
// CHECK: %[[WIDE:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO:[a-z0-9_]+]] step {{.*}} iter_args(%{{.*}} = %[[BEFORE]])
// CHECK-NOT: arith.cmpi
// CHECK: scf.for %{{.*}} = %[[TO]] to %{{.*}} step {{.*}} iter_args(%{{.*}} = %[[WIDE]])
// CHECK: arith.cmpi slt
func.func @window(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %first: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %far = arith.constant dense<300> : tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %end = arith.addi %first, %c64_i32 : i32
  %i0 = cta.iota 0 : tensor<64x64xi32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %f = cta.splat %first : tensor<64x64xi32>
  %rows = arith.addi %f, %i0 : tensor<64x64xi32>
  %r = scf.for %i = %c0_i32 to %end step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %low = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
    %limit = arith.addi %columns, %far : tensor<64x64xi32>
    %high = arith.cmpi slt, %rows, %limit : tensor<64x64xi32>
    %seen = arith.andi %low, %high : tensor<64x64xi1>
    %m = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Keys end at %length: bounds of loads go with the mask, and what counts up is computed where a loop begins. The mask may
// be a row.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<*xf16>, %[[LENGTH:[a-z0-9]+]]: i32, %[[STRIDE:[a-z0-9]+]]: i64
// CHECK: %[[WIDE:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[TO:[a-z0-9_]+]] step
// CHECK: tts.load %[[P]][%{{.*}}] strides [1, %[[STRIDE]]] :
// CHECK: %[[START:.*]] = arith.muli
// CHECK: scf.for %{{.*}} = %[[TO]] to %{{.*}} step {{.*}} iter_args(%{{.*}} = %[[WIDE]]#0, %{{.*}} = %[[START]])
// CHECK: tts.load %[[P]][%{{.*}}] strides [1, %[[STRIDE]]] bounds
// CHECK: arith.cmpi slt
func.func @lengths(%p: memref<*xf16>, %length: i32, %stride: i64, %q: tensor<64x16xf16>) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %i1 = cta.iota 0 : tensor<64xi32>
  %ends = cta.splat %length : tensor<64xi32>
  %size = arith.extsi %length : i32 to i64
  %walk = arith.muli %stride, %c64 : i64
  %r:2 = scf.for %i = %c0_i32 to %length step %c64_i32 iter_args(%sum = %zeros, %at = %c0) -> (tensor<64x64xf32>, i64) : i32 {
    %t = cta.splat %i : tensor<64xi32>
    %columns = arith.addi %t, %i1 : tensor<64xi32>
    %start = arith.extsi %i : i32 to i64
    %left = arith.subi %size, %start : i64
    %k = tts.load %p[%at] strides [1, %stride] bounds [1] from (%c0) to (%left) : memref<*xf16> -> tensor<16x64xf16>
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %live = arith.cmpi slt, %columns, %ends : tensor<64xi32>
    %row = cta.reshape %live : tensor<64xi1> -> tensor<1x64xi1>
    %seen = cta.broadcast %row : tensor<1x64xi1> -> tensor<64x64xi1>
    %m = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    %further = arith.addi %at, %walk : i64
    scf.yield %m, %further : tensor<64x64xf32>, i64
  }
  return %r#0 : tensor<64x64xf32>
}

// A loop over the blocks on the diagonal has no turn without the mask.
// CHECK-LABEL: func.func @diagonal(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @diagonal(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %first: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c64_i32 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %end = arith.addi %first, %c64_i32 : i32
  %i0 = cta.iota 0 : tensor<64x64xi32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %f = cta.splat %first : tensor<64x64xi32>
  %rows = arith.addi %f, %i0 : tensor<64x64xi32>
  %r = scf.for %i = %first to %end step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %seen = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
    %m = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Few elements in a thread, a step that is no constant, numbers from memory, equality: the mask stays.
// CHECK-LABEL: func.func @few(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @few(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %n: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 8 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %ends = cta.splat %n : tensor<64x64xi32>
  %r = scf.for %i = %c0_i32 to %n step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %seen = arith.cmpi slt, %columns, %ends : tensor<64x64xi32>
    %m = arith.select %seen, %s, %zeros : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @any_step(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @any_step(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %n: i32, %step: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %ends = cta.splat %n : tensor<64x64xi32>
  %r = scf.for %i = %c0_i32 to %n step %step iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %seen = arith.cmpi slt, %columns, %ends : tensor<64x64xi32>
    %m = arith.select %seen, %s, %zeros : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @other_masks(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @other_masks(%p: memref<*xi32>, %q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %n: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %ends = cta.splat %n : tensor<64x64xi32>
  %true = arith.constant dense<true> : tensor<64x64xi1>
  %r = scf.for %i = %c0_i32 to %n step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %equal = arith.cmpi eq, %columns, %ends : tensor<64x64xi32>
    %read = tts.load %p[%c0] strides [64, 1] : memref<*xi32> -> tensor<64x64xi32>
    %known = arith.cmpi slt, %columns, %read : tensor<64x64xi32>
    %either = arith.ori %equal, %known : tensor<64x64xi1>
    %inside = arith.cmpi slt, %columns, %ends : tensor<64x64xi32>
    %outside = arith.xori %inside, %true : tensor<64x64xi1>
    %seen = arith.ori %either, %outside : tensor<64x64xi1>
    %m = arith.select %seen, %s, %zeros : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Columns may be carried as a tile.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i32
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.for
// CHECK: arith.cmpi sge
func.func @carried(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %first: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %more = arith.constant dense<64> : tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %i0 = cta.iota 0 : tensor<64x64xi32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %f = cta.splat %first : tensor<64x64xi32>
  %rows = arith.addi %f, %i0 : tensor<64x64xi32>
  %r:2 = scf.for %i = %c0_i32 to %first step %c64_i32 iter_args(%sum = %zeros, %columns = %i1) -> (tensor<64x64xf32>, tensor<64x64xi32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %seen = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
    %m = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    %after = arith.addi %columns, %more : tensor<64x64xi32>
    scf.yield %m, %after : tensor<64x64xf32>, tensor<64x64xi32>
  }
  return %r#0 : tensor<64x64xf32>
}

// Whoever has a loop without masks beside it has split it.
// CHECK-LABEL: func.func @split(
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
func.func @split(%q: tensor<64x16xf16>, %k: tensor<16x64xf16>, %first: i32, %n: i32) -> tensor<64x64xf32> attributes {cta.num_warps = 4 : i32} {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %i1 = cta.iota 1 : tensor<64x64xi32>
  %ends = cta.splat %n : tensor<64x64xi32>
  %w = scf.for %i = %c0_i32 to %first step %c64_i32 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %r = scf.for %i = %first to %n step %c64_i32 iter_args(%sum = %w) -> (tensor<64x64xf32>) : i32 {
    %s = cta.dot %q, %k, %sum : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %t = cta.splat %i : tensor<64x64xi32>
    %columns = arith.addi %t, %i1 : tensor<64x64xi32>
    %seen = arith.cmpi slt, %columns, %ends : tensor<64x64xi32>
    %m = arith.select %seen, %s, %zeros : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
