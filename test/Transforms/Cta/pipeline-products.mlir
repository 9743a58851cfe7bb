// Loads that wgmma reads from shared memory: rings in its layouts, and a product that goes on while the next turn begins.
// RUN: triton-shared-opt %s --cta-pipeline-loads | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#right = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#square = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#wide = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#down = #cta.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#across = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

// Lines of 64 bytes along K, of 32 along N. The tensor cores have the product of a turn before its copies begin, and
// these wait until all threads have the product of the turn before, whose slot they take.
// CHECK-DAG: #[[K:.*]] = #cta.shared<{{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
// CHECK-DAG: #[[N:.*]] = #cta.shared<{{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>
// CHECK-LABEL: func.func @only_product(
// CHECK: cta.alloc {alignment = 1024 : i64} : <3, 64x32xf16, #[[K]]>
// CHECK: cta.alloc {alignment = 1024 : i64} : <3, 32x16xf16, #[[N]]>
// CHECK: %[[ANY:.*]] = arith.cmpi slt
// CHECK: %[[SUM:.*]]:{{[0-9]+}} = scf.if %[[ANY]]
// CHECK: %[[LAST:.*]]:{{[0-9]+}} = scf.for
// CHECK-NEXT: cta.wait 1{{$}}
// CHECK-NOT: cta.copy
// CHECK: %[[SUM:.*]] = cta.dot {{.*}} goes_on
// CHECK-NEXT: %[[BEGUN:.*]] = cta.wait_dot %[[SUM]] but 1
// CHECK-NEXT: gpu.barrier
// CHECK: cta.copy
// CHECK: cta.commit
// CHECK: scf.yield %[[BEGUN]],
// CHECK: %[[DONE:.*]] = cta.wait_dot %[[LAST]]#0 :
// CHECK: scf.yield %[[DONE]]
// CHECK: cta.wait 0
func.func @only_product(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 2048 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %a = tts.load %x[%at] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%at] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// A sum that is scaled in each turn is waited for in each turn, when the copies ahead are under way.
// CHECK-LABEL: func.func @scaled(
// CHECK: cta.alloc {alignment = 1024 : i64} : <3, 64x32xf16
// CHECK: cta.wait 1{{$}}
// CHECK-NOT: cta.copy
// CHECK: %[[SUM:.*]] = cta.dot {{.*}} goes_on
// CHECK: cta.copy
// CHECK: cta.commit
// CHECK: %[[DONE:.*]] = cta.wait_dot %[[SUM]] :
// CHECK: arith.mulf %[[DONE]],
// CHECK-NOT: cta.wait_dot
// CHECK: return
func.func @scaled(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 2048 : i64
  %half = arith.constant dense<0.5> : tensor<64x16xf32, #c>
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %a = tts.load %x[%at] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%at] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %e = arith.mulf %d, %half : tensor<64x16xf32, #c>
    %next = arith.addi %at, %step : i64
    scf.yield %e, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

#bytes = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#bytesRight = #cta.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 0], [0, 0]]>
// Sums that are added apart are waited for where they are.
// CHECK-LABEL: func.func @parts(
// CHECK: cta.alloc {alignment = 1024 : i64} : <3, 64x32xf8E5M2
// CHECK-NOT: goes_on
// CHECK: return
func.func @parts(%x: memref<*xf8E5M2> {tt.divisibility = 16 : i32}, %y: memref<*xf8E5M2> {tt.divisibility = 16 : i32}, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 2048 : i64
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %a = tts.load %x[%at] strides [32, 1] : memref<*xf8E5M2> -> tensor<64x32xf8E5M2, #bytes>
    %b = tts.load %y[%at] strides [1, 32] : memref<*xf8E5M2> -> tensor<32x16xf8E5M2, #bytesRight>
    %d = cta.dot %a, %b, %sum imprecise 32 : tensor<64x32xf8E5M2, #bytes>, tensor<32x16xf8E5M2, #bytesRight> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k32>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// What is computed before the product does not wait: the copies come first.
// CHECK-LABEL: func.func @after_sums(
// CHECK: scf.for
// CHECK-NEXT: cta.wait 1{{$}}
// CHECK: cta.copy
// CHECK: arith.mulf
// CHECK-NOT: goes_on
// CHECK: return
func.func @after_sums(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 2048 : i64
  %half = arith.constant dense<0.5> : tensor<64x16xf32, #c>
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %e = arith.mulf %sum, %half : tensor<64x16xf32, #c>
    %a = tts.load %x[%at] strides [32, 1] : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%at] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %e : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// What products take is read where they stand, after the copies of the turn; a tile that they take in both orders is copied once.
// CHECK-LABEL: func.func @both_orders(
// CHECK: %[[RING:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 32x64xf16
// CHECK-NOT: cta.alloc
// CHECK: scf.for
// CHECK-NEXT: cta.wait 1{{$}}
// CHECK: %[[FIRST:.*]] = cta.read %[[RING]]
// CHECK: cta.dot %{{.*}}, %[[FIRST]], {{.*}} goes_on
// CHECK: cta.copy to %[[RING]]
// CHECK: cta.wait_dot
// CHECK: arith.truncf
// CHECK: %[[SECOND:.*]] = cta.read %[[RING]]
// CHECK: %[[TURNED:.*]] = cta.transpose %[[SECOND]] [1, 0]
// CHECK: cta.dot %{{.*}}, %[[TURNED]], %{{.*}}
// CHECK: scf.yield
func.func @both_orders(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %q: tensor<64x32xf16, #rows>, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 2048 : i64
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #square>
  %sums = arith.constant dense<0.0> : tensor<64x32xf32, #wide>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<64x32xf32, #wide>, i64) : i32 {
    %b = tts.load %x[%at] strides [1, 32] : memref<*xf16> -> tensor<32x64xf16, #down>
    %s = cta.dot %q, %b, %none : tensor<64x32xf16, #rows>, tensor<32x64xf16, #down> -> tensor<64x64xf32, #square> by #cta.wgmma<m64n64k16>
    %p = arith.truncf %s : tensor<64x64xf32, #square> to tensor<64x64xf16, #square>
    %t = cta.transpose %b [1, 0] : tensor<32x64xf16, #down> -> tensor<64x32xf16, #across>
    %d = cta.dot %p, %t, %sum : tensor<64x64xf16, #square>, tensor<64x32xf16, #across> -> tensor<64x32xf32, #wide> by #cta.wgmma<m64n32k16, registers>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<64x32xf32, #wide>, i64
  }
  tts.store %r#0 to %o[%start] strides [32, 1] : tensor<64x32xf32, #wide>, memref<*xf32>
  return
}
