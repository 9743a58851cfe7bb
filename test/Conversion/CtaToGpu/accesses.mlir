// Neighbours are moved together; a group that bounds cut is moved in parts.
// RUN: triton-shared-opt %s --cta-to-gpu --canonicalize --cse | FileCheck %s

#vector = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#single = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#twice = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>

// Four floats of a base that is a multiple of 16 bytes are one access.
// CHECK-LABEL: gpu.func @together(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>
func.func @together(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: %[[V:.*]] = llvm.load %[[A:.*]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK: llvm.store %[[V]], %[[A]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #vector>
  tts.store %v to %p[%zero] strides [1] : tensor<128xf32, #vector>, memref<*xf32>
  return
}

// Without the hint each element moves alone.
// CHECK-LABEL: gpu.func @alone(
func.func @alone(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
  // CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : vector<1xf32>, !llvm.ptr<1>
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<128xf32, #vector>
  tts.store %v to %p[%zero] strides [1] : tensor<128xf32, #vector>, memref<*xf32>
  return
}

// A bound that is a multiple of four takes or leaves whole groups.
// CHECK-LABEL: gpu.func @whole_groups(
func.func @whole_groups(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32},
    %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: %[[IN:.*]] = arith.cmpi slt
  // CHECK: llvm.inline_asm {{.*}}ld.global.v4.b32{{.*}} %{{.*}}, %[[IN]]
  // CHECK-NOT: llvm.inline_asm
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %high = arith.extsi %n : i32 to i64
  %v = tts.load %p[%zero] strides [1] bounds [0] from (%zero) to (%high) : memref<*xf32> -> tensor<128xf32, #vector>
  return
}

// Any other bound may cut a group: all at once, or else one by one.
// CHECK-LABEL: gpu.func @cut_groups(
func.func @cut_groups(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i32,
    %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: llvm.inline_asm {{.*}}ld.global.v4.b32
  // CHECK-COUNT-4: llvm.inline_asm {{.*}}ld.global.b32
  // CHECK-NOT: llvm.inline_asm
  // CHECK: gpu.return
  %zero = arith.constant 0 : i64
  %high = arith.extsi %n : i32 to i64
  %v = tts.load %p[%zero] strides [1] bounds [0] from (%zero) to (%high) : memref<*xf32> -> tensor<128xf32, #vector>
  return
}

// Of the lanes that hold the same element, one writes.
// CHECK-LABEL: gpu.func @first_holder(
func.func @first_holder(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: llvm.load
  // CHECK: %[[FREE:.*]] = arith.andi %{{.*}}, %c16_i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[FREE]], %c0_i32
  // CHECK: llvm.inline_asm {{.*}}@$1 st.global.b32{{.*}} %{{.*}}, %[[FIRST]],
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [1] : memref<*xf32> -> tensor<16xf32, #twice>
  tts.store %v to %p[%zero] strides [1] : tensor<16xf32, #twice>, memref<*xf32>
  return
}

// Bytes travel in registers of 16 bits.
// CHECK-LABEL: gpu.func @bytes(
func.func @bytes(%p: memref<*xi8>, %m: i1, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  // CHECK: llvm.inline_asm {{.*}}ld.global.b8{{.*}} "=&h,l,b,h" {{.*}} -> i16
  %zero = arith.constant 0 : i64
  %mask = cta.splat %m : tensor<32xi1, #single>
  %v = tts.load %p[%zero] strides [1] mask %mask : tensor<32xi1, #single> : memref<*xi8> -> tensor<32xi8, #single>
  return
}

// A computed bound that many elements are compared with is made narrow once; what a register adds is taken from it.
// CHECK-LABEL: gpu.func @narrow_bound(
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 128 : i64
// CHECK:         %[[CUT:.*]] = arith.minsi %{{.*}}, %[[SIZE]] : i64
// CHECK:         %[[LEAST:.*]] = arith.maxsi %[[CUT]], %{{.*}} : i64
// CHECK:         %[[BOUND:.*]] = arith.trunci %[[LEAST]] : i64 to i32
// CHECK:         arith.cmpi slt, %[[THREAD:.*]], %[[BOUND]] : i32
// CHECK-COUNT-3: arith.cmpi slt, %[[THREAD]], %{{.*}} : i32
// CHECK-NOT:     arith.cmpi
// CHECK:         gpu.return
func.func @narrow_bound(%p: memref<*xf32>, %n: i64, %start: i64, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %high = arith.subi %n, %start : i64
  %v = tts.load %p[%start] strides [1] bounds [0] from (%zero) to (%high) : memref<*xf32> -> tensor<128xf32, #vector>
  tts.store %v to %p[%zero] strides [1] : tensor<128xf32, #vector>, memref<*xf32>
  return
}

// A single warp compares what it stores with other masks than what it loads: none is kept from one to the other.
#scattered = #cta.layout<register = [[32], [64], [128]], lane = [[1], [2], [4], [8], [16]], warp = []>
// CHECK-LABEL: gpu.func @masks(
// CHECK:         arith.cmpi slt, %{{.*}} : i64
// CHECK:         %[[LESS:.*]] = arith.minsi %{{.*}}, %c256_i32 : i32
// CHECK:         %[[CUT:.*]] = arith.maxsi %[[LESS]], %c0_i32 : i32
// CHECK:         %[[REST:.*]] = arith.subi %[[CUT]], %{{.*}} : i32
// CHECK:         arith.cmpi sgt, %[[REST]], %c0_i32 : i32
// CHECK:         arith.cmpi sgt, %[[REST]], %c32_i32 : i32
// CHECK-COUNT-6: arith.cmpi sgt, %[[REST]], %{{.*}} : i32
// CHECK-NOT:     arith.cmpi
// CHECK:         gpu.return
func.func @masks(%p: memref<*xf32>, %n: i32, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %high = arith.extsi %n : i32 to i64
  %v = tts.load %p[%zero] strides [1] bounds [0] from (%zero) to (%high) : memref<*xf32> -> tensor<256xf32, #scattered>
  tts.store %v to %p[%zero] strides [1] bounds [0] from (%zero) to (%high) : tensor<256xf32, #scattered>, memref<*xf32>
  return
}

// Where a thread has several indices, the start of what wraps around is wrapped once; the one index of a thread needs no more.
#rows = #cta.layout<register = [[0, 1], [0, 2], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
// CHECK-LABEL: gpu.func @wraps(
// CHECK-SAME:    %[[START:[a-z0-9]*]]: i64, %[[SIZE:[a-z0-9]*]]: i64
// CHECK:         %[[WRAPPED:.*]] = arith.remui %[[START]], %[[SIZE]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[WRAPPED]], %{{.*}} : i64
// CHECK:         arith.remui %[[FIRST]], %[[SIZE]]
// CHECK:         %[[SECOND:.*]] = arith.addi %[[WRAPPED]], %{{.*}} : i64
// CHECK:         arith.remui %[[SECOND]], %[[SIZE]]
// CHECK-NOT:     arith.remui
// CHECK:         %[[ONLY:.*]] = arith.addi %[[START]], %{{.*}} : i64
// CHECK:         arith.remui %[[ONLY]], %[[SIZE]]
// CHECK-NOT:     arith.remui
// CHECK:         gpu.return
func.func @wraps(%start: i64, %size: i64, %p: memref<*xf32> {tt.divisibility = 16 : i32}, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64} {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [4, 1] wrap [0] from (%start) size (%size) : memref<*xf32> -> tensor<64x4xf32, #rows>
  tts.store %v to %p[%zero] strides [4, 1] : tensor<64x4xf32, #rows>, memref<*xf32>
  %w = tts.load %p[%zero] strides [1] wrap [0] from (%start) size (%size) : memref<*xf32> -> tensor<32xf32, #single>
  tts.store %w to %p[%zero] strides [1] : tensor<32xf32, #single>, memref<*xf32>
  return
}
