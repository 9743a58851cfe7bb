// Stores to addresses that the kernel computes are done before anything that may read them.
// RUN: triton-shared-opt %s --cta-store-boxes --canonicalize --cse | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

// A tensor that the kernel has found in memory may be any other: what comes before is done when the store begins, and the
// store when what comes after does. The map is the kernel's own. GPUs without such maps store by threads.
// CHECK-LABEL: func.func @found(
// CHECK: %[[MAP:.*]] = cta.make_tensor_map %{{.*}} sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}] box [64, 32] swizzle 64
// CHECK: cta.write %{{.*}} fenced
// CHECK-NEXT: cta.publish_writes
// CHECK: cta.store_box %{{.*}} to %[[MAP]]
// CHECK-NEXT: cta.wait_stores written
// CHECK-NEXT: gpu.barrier
// CHECK-LABEL: func.func @found_elsewhere(
// CHECK-NOT: cta.store_box
// CHECK: tts.store
func.func @found(%place: memref<*xi64>, %other: memref<*xi64>, %m: i64, %n: i64, %stride: i64, %tile: tensor<64x32xf16, #rows>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %address = tts.load %place[%none] strides [] : memref<*xi64> -> i64
  %o = tts.from_address %address : memref<*xf16>
  tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%m, %n) {tts.through_descriptor} : tensor<64x32xf16, #rows>, memref<*xf16>
  %counted = arith.constant 1 : i64
  %next = tts.load %other[%none] strides [] : memref<*xi64> -> i64
  %more = arith.addi %next, %counted : i64
  %p = tts.from_address %more : memref<*xi64>
  tts.store %more to %p[%none] strides [] : i64, memref<*xi64>
  return
}
func.func @found_elsewhere(%place: memref<*xi64>, %m: i64, %n: i64, %stride: i64, %tile: tensor<64x32xf16, #rows>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90">} {
  %none = arith.constant 0 : i64
  %address = tts.load %place[%none] strides [] : memref<*xi64> -> i64
  %o = tts.from_address %address : memref<*xf16>
  tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%m, %n) {tts.through_descriptor} : tensor<64x32xf16, #rows>, memref<*xf16>
  return
}

// In a loop that reads other tensors by copies alone, the kernel compares where these lie with where it writes: only if
// they meet, a turn waits. What comes after the loop does.
// CHECK-LABEL: func.func @found_in_loop(
// CHECK: %[[READ:.*]] = cta.make_tensor_map %[[FROM:.*]] sizes
// CHECK: %[[TO:.*]] = tts.from_address
// CHECK: %[[WRITTEN:.*]] = cta.make_tensor_map %[[TO]] sizes
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %{{.*}}, %{{.*}} : i64
// CHECK: arith.cmpi ne, %[[HIGH]], %{{.*}} : i64
// CHECK: %[[BEGIN:.*]] = tts.to_address %[[TO]]
// CHECK: %[[END:.*]] = arith.addi %[[BEGIN]], %{{.*}} : i64
// CHECK: %[[OTHER:.*]] = tts.to_address %[[FROM]]
// CHECK: %[[OTHER_END:.*]] = arith.addi %[[OTHER]], %{{.*}} : i64
// CHECK: arith.cmpi ult, %[[BEGIN]], %[[OTHER_END]] : i64
// CHECK: arith.cmpi ult, %[[OTHER]], %[[END]] : i64
// CHECK: arith.ori
// CHECK-NEXT: %[[MEET:.*]] = arith.ori
// CHECK-NEXT: scf.for
// CHECK: cta.copy_box %[[READ]]
// CHECK: cta.store_box %{{.*}} to %[[WRITTEN]]
// CHECK-NEXT: scf.if %[[MEET]] {
// CHECK-NEXT: cta.wait_stores written
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: cta.wait_stores written
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: return
#line = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
func.func @found_in_loop(%place: memref<*xi64>, %m: i64, %n: i64, %stride: i64, %turns: i32, %tile: tensor<64x32xf16, #rows>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = arith.constant 0 : i32
  %next = arith.constant 1 : i32
  %true = arith.constant true
  %a = tts.load %place[%none] strides [] : memref<*xi64> -> i64
  %from = tts.from_address %a : memref<*xf16>
  %map = cta.make_tensor_map %from sizes[%m, %n] strides[%stride] box [64, 32] swizzle 64 : memref<*xf16> -> !llvm.ptr
  %b = tts.load %place[%one] strides [] : memref<*xi64> -> i64
  %o = tts.from_address %b : memref<*xf16>
  %slot = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #line>
  %full = cta.mbarriers arrivals 1 : <1>
  scf.for %turn = %first to %turns step %next : i32 {
    cta.copy_box %map[%turn, %first] dims [0, 1] by [64, 32] to %slot[%first] at %full if %true : !llvm.ptr, <1, 64x32xf16, #line>, <1>
    tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%m, %n) {tts.through_descriptor} : tensor<64x32xf16, #rows>, memref<*xf16>
  }
  return
}

// Threads of this loop read what may have been written: each turn waits.
// CHECK-LABEL: func.func @found_and_read(
// CHECK-NOT: arith.mului_extended
// CHECK: scf.for
// CHECK: cta.store_box
// CHECK-NEXT: cta.wait_stores written
// CHECK-NEXT: gpu.barrier
func.func @found_and_read(%place: memref<*xi64>, %m: i64, %n: i64, %stride: i64, %turns: i32, %tile: tensor<64x32xf16, #rows>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = arith.constant 0 : i32
  %next = arith.constant 1 : i32
  %true = arith.constant true
  %a = tts.load %place[%none] strides [] : memref<*xi64> -> i64
  %from = tts.from_address %a : memref<*xf16>
  %map = cta.make_tensor_map %from sizes[%m, %n] strides[%stride] box [64, 32] swizzle 64 : memref<*xf16> -> !llvm.ptr
  %b = tts.load %place[%one] strides [] : memref<*xi64> -> i64
  %o = tts.from_address %b : memref<*xf16>
  %slot = cta.alloc {alignment = 1024 : i64} : <1, 64x32xf16, #line>
  %full = cta.mbarriers arrivals 1 : <1>
  scf.for %turn = %first to %turns step %next : i32 {
    %more = tts.load %place[%one] strides [] : memref<*xi64> -> i64
    cta.copy_box %map[%turn, %first] dims [0, 1] by [64, 32] to %slot[%first] at %full if %true : !llvm.ptr, <1, 64x32xf16, #line>, <1>
    tts.store %tile to %o[%none] strides [%stride, 1] bounds [0, 1] from(%none, %none) to(%more, %n) {tts.through_descriptor} : tensor<64x32xf16, #rows>, memref<*xf16>
  }
  return
}
