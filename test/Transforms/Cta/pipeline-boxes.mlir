// Loads that are a box of a tensor are copied by the copy engine: they arrive at the barrier of their slot.
// RUN: triton-shared-opt %s --cta-pipeline-loads --canonicalize --cse | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#right = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// The left operand ends where its tensor does, the right one has no bounds: that one is copied by threads.
// CHECK-LABEL: func.func @left_box(
// CHECK-SAME: %[[MAP:[^:]*]]: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 2, arg 3], strides = [arg 4, 1], box = [64, 32], swizzle = 64, outside = zeros>})
// CHECK: %[[A:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 64x32xf16
// CHECK: %[[B:.*]] = cta.alloc {alignment = 1024 : i64} : <3, 32x16xf16
// CHECK: %[[FULL:.*]] = cta.mbarriers arrivals 1 : <3>
// CHECK: cta.copy_box %[[MAP]][%[[ROW:[^,]*]], %{{.*}}] dims [0, 1] by [64, 32] to %[[A]][%{{.*}}] at %[[FULL]] if
// CHECK: cta.copy to %[[B]]
// CHECK: cta.commit
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %{{.*}}, %[[SLOT:[^ ]*]] = %{{.*}}, %[[PHASE:[^ ]*]] = %{{.*}})
// CHECK-NEXT: cta.wait_mbarrier %[[FULL]][%[[SLOT]]] phase %[[PHASE]]
// CHECK-NEXT: cta.wait 1{{$}}
// CHECK: cta.copy_box %[[MAP]][%[[ROW]], %{{.*}}] {{.*}} to %[[A]]
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}} : i32
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[NEXT]]
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]]
// CHECK: arith.select %[[BEGINS]], %[[OTHER]], %[[PHASE]]
// CHECK: cta.invalidate %[[FULL]]
func.func @left_box(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i32
  %height = arith.constant 64 : i32
  %none = arith.constant 0 : i64
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %row32 = arith.muli %px, %height : i32
  %row = arith.extsi %row32 : i32 to i64
  %row_low = arith.subi %none, %row : i64
  %row_high = arith.subi %rows, %row : i64
  %row_offset = arith.muli %row, %stride : i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %column32 = arith.muli %t, %width : i32
    %column = arith.extsi %column32 : i32 to i64
    %offset = arith.addi %row_offset, %column : i64
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %a = tts.load %x[%offset] strides [%stride, 1] bounds [0, 1] from(%row_low, %low) to(%row_high, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%column] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %r to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// What the kernel itself writes is read by the copy engine after a fence. A tensor with rows that are no multiples of 16
// bytes is not, nor one that the block does not end with.
// CHECK-LABEL: func.func @written(
// CHECK: cta.publish_writes
// CHECK-NEXT: gpu.barrier
// CHECK: cta.copy_box
// CHECK: scf.for
// CHECK-COUNT-1: cta.copy_box
// CHECK-NOT: cta.copy_box
// CHECK: return
func.func @written(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %odd: i64, %n: i32, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %width = arith.constant 32 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %stored = arith.constant dense<0.0> : tensor<64x32xf16, #rows>
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %column32 = arith.muli %t, %width : i32
    %column = arith.extsi %column32 : i32 to i64
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %half = arith.divsi %high, %two : i64
    %a = tts.load %x[%column] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%column] strides [%odd, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #right>
    %c = tts.load %y[%column] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%rows, %half) other %fill : f16 : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %e = cta.dot %a, %c, %d : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %e : tensor<64x16xf32, #c>
  }
  tts.store %stored to %x[%none] strides [%stride, 1] : tensor<64x32xf16, #rows>, memref<*xf16>
  return
}

// Where other programs are told, memory has an order that the copy engine does not know.
// CHECK-LABEL: func.func @tells(
// CHECK-NOT: cta.copy_box
// CHECK: return
func.func @tells(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %flag: memref<*xi32>, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %width = arith.constant 32 : i32
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %stored = arith.constant dense<0.0> : tensor<64x32xf16, #rows>
  %b = arith.constant dense<0.0> : tensor<32x16xf16, #right>
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %column32 = arith.muli %t, %width : i32
    %column = arith.extsi %column32 : i32 to i64
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %a = tts.load %x[%column] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %stored to %x[%none] strides [%stride, 1] : tensor<64x32xf16, #rows>, memref<*xf16>
  %told = tts.atomic_rmw add acq_rel gpu %one at %flag[%none] : i32, memref<*xi32>, i64
  return
}

// Through a descriptor a kernel may describe a tensor that it has found in memory: it makes the map itself, once it has the
// numbers. A box of a tensor without rows begins far outside.
// CHECK-LABEL: func.func @found(
// CHECK: %[[BASE:.*]] = tts.from_address
// CHECK: %[[M:.*]] = tts.load %{{.*}} : memref<*xi64> -> i64
// CHECK: %[[MAP:.*]] = cta.make_tensor_map %[[BASE]] sizes[%[[M]], %{{.*}}] strides[%{{.*}}] box [64, 32] swizzle 64 : memref<*xf16> -> !llvm.ptr
// CHECK: %[[IS:.*]] = arith.cmpi sgt, %[[M]]
// CHECK: arith.select %[[IS]], %c0_i32, %c-2147483648_i32
// CHECK: cta.copy_box %[[MAP]][
// CHECK: scf.for
// CHECK: cta.copy_box %[[MAP]][
func.func @found(%place: memref<*xi64>, %k: i32, %stride: i64, %n: i32, %o: memref<*xf32>, %px: i32 {tts.parameter = "program.x"})
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %next = arith.constant 1 : i64
  %width = arith.constant 32 : i32
  %address = tts.load %place[%none] strides [] : memref<*xi64> -> i64
  %x = tts.from_address %address : memref<*xf16>
  %rows = tts.load %place[%next] strides [] : memref<*xi64> -> i64
  %columns = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %b = arith.constant dense<0.0> : tensor<32x16xf16, #right>
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<64x16xf32, #c>) : i32 {
    %column32 = arith.muli %t, %width : i32
    %column = arith.extsi %column32 : i32 to i64
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %a = tts.load %x[%column] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 {tts.through_descriptor} : memref<*xf16> -> tensor<64x32xf16, #rows>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tts.store %r to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// A GPU without a copy engine has none of it.
// CHECK-LABEL: func.func @older(
// CHECK-NOT: cta.copy_box
// CHECK: return
func.func @older(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_80">} {
  return
}

// A box may begin at a variable of the loop, as with block pointers that advance.
// CHECK-LABEL: func.func @advances(
// CHECK-SAME: %[[MAP:[^:]*]]: !llvm.ptr {tts.parameter = "tensor_map"
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %{{.*}}, %{{[^ ]*}} = %{{.*}}, %[[AHEAD:[^ ]*]] = %c64_i64
// CHECK: arith.maxsi %[[AHEAD]]
// CHECK: cta.copy_box %[[MAP]]
func.func @advances(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %stride: i64 {tt.divisibility = 8 : i32}, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %column = %none) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %a = tts.load %x[%column] strides [%stride, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%column] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %column, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}

// Two dimensions whose neighbours lie side by side are no tensor with aligned rows.
// CHECK-LABEL: func.func @diagonals(
// CHECK-NOT: cta.copy_box
func.func @diagonals(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}, %m: i32, %k: i32, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %fill = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %column = %none) -> (tensor<64x16xf32, #c>, i64) : i32 {
    %low = arith.subi %none, %column : i64
    %high = arith.subi %columns, %column : i64
    %a = tts.load %x[%column] strides [1, 1] bounds [0, 1] from(%none, %low) to(%rows, %high) other %fill : f16 : memref<*xf16> -> tensor<64x32xf16, #rows>
    %b = tts.load %y[%column] strides [16, 1] : memref<*xf16> -> tensor<32x16xf16, #right>
    %d = cta.dot %a, %b, %sum : tensor<64x32xf16, #rows>, tensor<32x16xf16, #right> -> tensor<64x16xf32, #c> by #cta.wgmma<m64n16k16>
    %next = arith.addi %column, %step : i64
    scf.yield %d, %next : tensor<64x16xf32, #c>, i64
  }
  tts.store %r#0 to %o[%none] strides [16, 1] : tensor<64x16xf32, #c>, memref<*xf32>
  return
}
