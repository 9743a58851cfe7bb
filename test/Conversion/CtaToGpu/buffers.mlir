// Tiles in shared memory: wide stores, matrix loads, copies that nobody waits for.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#left = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#right = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#shared = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>

// Eight neighbours are 16 bytes, one store. Four matrices are one load, and a
// barrier stands between. What lies along the other dimension is transposed.
// CHECK-LABEL: gpu.func @matrices(
// CHECK-SAME: cta.shared = 512 : i64
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NOT: barrier
// CHECK: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
func.func @matrices(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %v = tts.load %x[%at] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
  %buffer = cta.alloc : !cta.buffer<1, 16x16xf16, #shared>
  cta.write %v to %buffer[%zero] : tensor<16x16xf16, #rows> to !cta.buffer<1, 16x16xf16, #shared>
  %a = cta.read %buffer[%zero] [0, 0] : !cta.buffer<1, 16x16xf16, #shared> -> tensor<16x16xf16, #left>
  %b = cta.read %buffer[%zero] [0, 0] : !cta.buffer<1, 16x16xf16, #shared> -> tensor<16x16xf16, #right>
  tts.store %a to %o[%at] strides [16, 1] : tensor<16x16xf16, #left>, memref<*xf16>
  tts.store %b to %o[%at] strides [16, 1] : tensor<16x16xf16, #right>, memref<*xf16>
  return
}

// Rows beyond the bound have a source of no bytes; none is copied if the
// condition is false.
// CHECK-LABEL: gpu.func @copies(
// CHECK-SAME: %[[X:[a-z0-9]*]]: !llvm.ptr<1>{{.*}}, %[[HIGH:[a-z0-9]*]]: i64, %[[MORE:[a-z0-9]*]]: i1
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[HIGH]] : i64
// CHECK: %[[BYTES:.*]] = arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : i32
// CHECK: llvm.inline_asm has_side_effects "@$0 cp.async.cg.shared.global [$1], [$2], 16, $3;", "b,r,l,r" %[[MORE]], %{{.*}}, %{{.*}}, %[[BYTES]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
func.func @copies(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %high: i64, %more: i1, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 16x16xf16, #shared>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<1, 16x16xf16, #shared> {
    %v = tts.load %x[%at] strides [16, 1] bounds [0] from (%at) to (%high) : memref<*xf16> -> tensor<16x16xf16, #rows>
    cta.yield %v : tensor<16x16xf16, #rows>
  }
  cta.commit
  cta.wait 1
  %a = cta.read %buffer[%zero] [0, 0] : !cta.buffer<1, 16x16xf16, #shared> -> tensor<16x16xf16, #left>
  tts.store %a to %o[%at] strides [16, 1] : tensor<16x16xf16, #left>, memref<*xf16>
  return
}

// What is constant about two addresses is left to the instruction.
#tall = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#lines = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>
// CHECK-LABEL: gpu.func @steps(
// CHECK: llvm.inline_asm {{.*}}[$1], [$2], 16;", "b,r,l" %[[MORE:.*]], %[[TO:.*]], %[[FROM:.*]] :
// CHECK: llvm.inline_asm {{.*}}[$1 + 512], [$2 + 2048], 16;", "b,r,l" %[[MORE]], %[[TO]], %[[FROM]] :
func.func @steps(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %more: i1, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 32x16xf16, #lines>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<1, 32x16xf16, #lines> {
    %v = tts.load %x[%at] strides [64, 1] : memref<*xf16> -> tensor<32x16xf16, #tall>
    cta.yield %v : tensor<32x16xf16, #tall>
  }
  cta.commit
  cta.wait 0
  return
}

// Which has room for so much only.
// CHECK-LABEL: gpu.func @far(
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %{{.*}}[67108864] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f16
// CHECK: llvm.inline_asm {{.*}}[$1], [$2], 16;", "b,r,l" %[[MORE:.*]], %[[TO:.*]], %{{.*}} :
// CHECK: llvm.inline_asm {{.*}}[$1 + 512], [$2], 16;", "b,r,l" %[[MORE]], %[[TO]], %[[NEXT]] :
func.func @far(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %more: i1, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 32x16xf16, #lines>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<1, 32x16xf16, #lines> {
    %v = tts.load %x[%at] strides [4194304, 1] : memref<*xf16> -> tensor<32x16xf16, #tall>
    cta.yield %v : tensor<32x16xf16, #tall>
  }
  cta.commit
  cta.wait 0
  return
}

// One that always happens needs no predicate.
// CHECK-LABEL: gpu.func @always(
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
func.func @always(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 16x16xf16, #shared>
  cta.copy to %buffer[%zero] if %true : !cta.buffer<1, 16x16xf16, #shared> {
    %v = tts.load %x[%at] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #rows>
    cta.yield %v : tensor<16x16xf16, #rows>
  }
  cta.commit
  cta.wait 0
  %a = cta.read %buffer[%zero] [0, 0] : !cta.buffer<1, 16x16xf16, #shared> -> tensor<16x16xf16, #left>
  tts.store %a to %o[%at] strides [16, 1] : tensor<16x16xf16, #left>, memref<*xf16>
  return
}

// What several lanes hold, here four, is copied by one of them.
#few = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [0, 0], [0, 0]], warp = []>
#small = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
// CHECK-LABEL: gpu.func @held_by_several(
// CHECK-SAME: %[[MORE:[a-z0-9]*]]: i1
// CHECK-DAG: %[[MASK:.*]] = arith.constant 24 : i32
// CHECK-DAG: %[[TWICE:.*]] = arith.andi %{{.*}}, %[[MASK]] : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[TWICE]], %{{.*}} : i32
// CHECK: %[[COPIES:.*]] = arith.andi %[[MORE]], %[[FIRST]] : i1
// CHECK: cp.async{{.*}} %[[COPIES]],
func.func @held_by_several(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %more: i1, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 4x16xf16, #small>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<1, 4x16xf16, #small> {
    %v = tts.load %x[%at] strides [16, 1] : memref<*xf16> -> tensor<4x16xf16, #few>
    cta.yield %v : tensor<4x16xf16, #few>
  }
  cta.commit
  cta.wait 0
  return
}

// Neighbours in shared memory that are one element where they come from: each is a copy of its own.
#repeated = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#plain = #cta.shared<[[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
// CHECK-LABEL: gpu.func @repeated(
// CHECK-COUNT-2: cp.async.ca.shared.global {{.*}}, 4;
// CHECK-NOT: cp.async
// CHECK: gpu.return
func.func @repeated(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %more: i1, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %buffer = cta.alloc : !cta.buffer<1, 8x8xf32, #plain>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<1, 8x8xf32, #plain> {
    %v = tts.load %x[%at] strides [1, 0] : memref<*xf32> -> tensor<8x8xf32, #repeated>
    cta.yield %v : tensor<8x8xf32, #repeated>
  }
  return
}
