// Loads that feed products run ahead of their loop, in a ring of shared memory.
// RUN: triton-shared-opt %s --cta-pipeline-loads | FileCheck %s
// RUN: triton-shared-opt %s --cta-pipeline-loads=num-stages=2 | FileCheck %s --check-prefix=TWO
// RUN: triton-shared-opt %s --cta-pipeline-loads=num-stages=1 | FileCheck %s --check-prefix=ONE
// RUN: triton-shared-opt %s --cta-pipeline-loads=num-stages=1000 | FileCheck %s --check-prefix=SMALL

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// Two turns are copied before the loop, each if there is such a turn; the third
// while the first is computed. The address of a turn ahead is computed ahead.
// The slot that is read follows the one that was read last, the slot that is
// written precedes it.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<*xf16> {{[^,]*}}, %[[N:[a-z0-9]*]]: i32
// CHECK: %[[RING:.*]] = cta.alloc : <3, 16x16xf16, #{{.*}}>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK: %[[FIRST:.*]] = arith.andi %[[ANY]], %{{.*}} : i1
// CHECK: cta.copy to %[[RING]][%{{.*}}] if %[[FIRST]] : {{.*}} {
// CHECK-NEXT: tts.load %[[X]]
// CHECK: cta.commit
// CHECK: %[[SECOND:.*]] = arith.andi %[[ANY]], %{{.*}} : i1
// CHECK: cta.copy to %[[RING]][%{{.*}}] if %[[SECOND]]
// CHECK: cta.commit
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}}, %[[AHEAD:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}})
// CHECK-NEXT: cta.wait 1
// CHECK: %[[NEXT_AHEAD:.*]] = arith.addi %[[AHEAD]], %{{.*}} : i64
// CHECK: %[[PREVIOUS:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %{{.*}}, %{{.*}} : i32
// CHECK: cta.copy to %[[RING]][%[[PREVIOUS]]] if %[[MORE]]
// CHECK-NEXT: tts.load %[[X]][%[[AHEAD]]]
// CHECK: cta.commit
// CHECK: %[[LEFT:.*]] = cta.read %[[RING]][%[[SLOT]]] [0, 0] : {{.*}} -> tensor<16x16xf16, #[[A:.*]]>
// CHECK-NOT: cta.convert_layout
// CHECK: cta.dot %[[LEFT]]
// CHECK: scf.yield
// CHECK: cta.wait 0

// With two slots one turn is ahead, and each turn waits for all.
// TWO-LABEL: func.func @product(
// TWO: cta.alloc : <2, 16x16xf16
// TWO-COUNT-1: cta.commit
// TWO-NOT: cta.commit
// TWO: scf.for
// TWO-NEXT: cta.wait 0

// With one there is nothing to run ahead.
// ONE-LABEL: func.func @product(
// ONE-NOT: cta.alloc

// Of 163 KiB, 512 bytes a slot, as much for the other operand, and what the product exchanges.
// SMALL-LABEL: func.func @product(
// SMALL: cta.alloc : <323, 16x16xf16
func.func @product(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %right: tensor<16x16xf16, #b>, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 256 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<16x16xf32, #c>, i64) : i32 {
    %v = tts.load %x[%at] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<16x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #c>, memref<*xf32>
  return
}

// What the loop writes may be what it reads next.
// CHECK-LABEL: func.func @written(
// CHECK-NOT: cta.alloc
// CHECK: return
func.func @written(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %right: tensor<16x16xf16, #b>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  scf.for %k = %zero to %n step %one : i32 {
    %at = arith.extsi %k : i32 to i64
    %far = arith.constant 256 : i64
    %from = arith.muli %at, %far : i64
    %to = arith.addi %from, %far : i64
    %v = tts.load %x[%from] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sums : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    %h = arith.truncf %d : tensor<16x16xf32, #c> to tensor<16x16xf16, #c>
    tts.store %h to %x[%to] strides [16, 1] : tensor<16x16xf16, #c>, memref<*xf16>
  }
  return
}

// Another argument is apart from it.
// CHECK-LABEL: func.func @written_elsewhere(
// CHECK: cta.copy
// CHECK: return
func.func @written_elsewhere(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %right: tensor<16x16xf16, #b>, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  scf.for %k = %zero to %n step %one : i32 {
    %at = arith.extsi %k : i32 to i64
    %far = arith.constant 256 : i64
    %from = arith.muli %at, %far : i64
    %v = tts.load %x[%from] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sums : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    tts.store %d to %o[%from] strides [16, 1] : tensor<16x16xf32, #c>, memref<*xf32>
  }
  return
}

// Its address is loaded in the loop: nobody knows it ahead. Nor is a load that
// gives ones where nothing is, or one of single elements, what copies can do.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: cta.alloc
// CHECK: return
func.func @stay(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %p: memref<*xi64>, %n: i32, %odd: i64, %high: i64)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %ones = arith.constant 1.0 : f16
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<16x16xf32, #c>) : i32 {
    %at = arith.extsi %k : i32 to i64
    %from = tts.load %p[%at] strides [] : memref<*xi64> -> i64
    %v = tts.load %x[%from] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %w = tts.load %x[%start] strides [16, 1] bounds [0] from (%start) to (%high) other %ones : f16 : memref<*xf16> -> tensor<16x16xf16, #rows>
    %right = cta.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    %y = tts.load %x[%odd] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %narrow = cta.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %e = cta.dot %narrow, %right, %d : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    scf.yield %e : tensor<16x16xf32, #c>
  }
  return
}

// A value that is used as it was loaded, too, is read twice.
// CHECK-LABEL: func.func @also_itself(
// CHECK: cta.wait
// CHECK: %[[ITSELF:.*]] = cta.read
// CHECK: %[[LEFT:.*]] = cta.read
// CHECK: cta.dot %[[LEFT]]
// CHECK: arith.addf %{{.*}}, %[[ITSELF]] : tensor<16x16xf16
// CHECK: return
func.func @also_itself(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %right: tensor<16x16xf16, #b>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %all = %none) -> (tensor<16x16xf32, #c>, tensor<16x16xf16, #rows>) : i32 {
    %v = tts.load %x[%start] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c>
    %e = arith.addf %all, %v : tensor<16x16xf16, #rows>
    scf.yield %d, %e : tensor<16x16xf32, #c>, tensor<16x16xf16, #rows>
  }
  return
}
