// Products of four warps: element types, and sums that are added when they are there.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#c = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#wide = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#left = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#right = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4]]>
#wideRight = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4], [0, 8]]>
#half = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]>
#halfRight = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]>

// Sums that may be imprecise for longer than the tile is deep go to the accumulator.
// CHECK-LABEL: gpu.func @direct(
// CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $8, $9, p, 1, 1;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $10, $11, p, 1, 1;
// CHECK-SAME: "=&f,=&f,=&f,=&f,0,1,2,3,l,l,l,l"
// CHECK-NOT: arith.addf
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0;
func.func @direct(%o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %a = cta.alloc {alignment = 1024 : i64} : <1, 64x64xf8E4M3FN, #left>
  %b = cta.alloc {alignment = 1024 : i64} : <1, 64x8xf8E5M2, #right>
  %z0 = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %d = cta.dot %a[%slot], %b[%slot], %z0 imprecise 65 : !cta.buffer<1, 64x64xf8E4M3FN, #left>, !cta.buffer<1, 64x8xf8E5M2, #right> -> tensor<64x8xf32, #c> by #cta.wgmma<m64n8k32>
  tts.store %d to %o[%zero] strides [8, 1] : tensor<64x8xf32, #c>, memref<*xf32>
  return
}

// Otherwise they begin at zero, and are added while the next ones are computed: those of one instruction in a group, and of two.
// CHECK-LABEL: gpu.func @parts(
// CHECK: setp.ne.b32 p, 0, 0;{{.*}}m64n8k32.f32.e5m2.e5m2 {$0, $1, $2, $3}, $4, $5, p, 1, 1;{{.*}}", "=&f,=&f,=&f,=&f,l,l"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: setp.ne.b32 p, 0, 0;
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK-COUNT-4: arith.addf
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-4: arith.addf
// CHECK: setp.ne.b32 p, 0, 0;
// CHECK-SAME: wgmma.mma_async
// CHECK-SAME: setp.ne.b32 p, 1, 0;
// CHECK-SAME: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK: gpu.return
func.func @parts(%o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %a = cta.alloc {alignment = 1024 : i64} : <1, 64x64xf8E5M2, #left>
  %b = cta.alloc {alignment = 1024 : i64} : <1, 64x8xf8E5M2, #right>
  %z0 = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %d = cta.dot %a[%slot], %b[%slot], %z0 imprecise 32 : !cta.buffer<1, 64x64xf8E5M2, #left>, !cta.buffer<1, 64x8xf8E5M2, #right> -> tensor<64x8xf32, #c> by #cta.wgmma<m64n8k32>
  %e = cta.dot %a[%slot], %b[%slot], %d imprecise 64 : !cta.buffer<1, 64x64xf8E5M2, #left>, !cta.buffer<1, 64x8xf8E5M2, #right> -> tensor<64x8xf32, #c> by #cta.wgmma<m64n8k32>
  tts.store %e to %o[%zero] strides [8, 1] : tensor<64x8xf32, #c>, memref<*xf32>
  return
}

// Sums of f16 lie in pairs.
// CHECK-LABEL: gpu.func @half_sums(
// CHECK: m64n8k16.f16.f16.f16 {$0, $1}, $4, $5, p, 1, 1, 0, 0;{{.*}}", "=&r,=&r,0,1,l,l"
// CHECK: wgmma.wait_group.sync.aligned 0;", "=r,=r,0,1"
// CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
// CHECK: m64n16k32.f16.e4m3.e4m3 {$0, $1, $2, $3}, $8, $9, p, 1, 1;
func.func @half_sums(%o: memref<*xf16>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %a = cta.alloc {alignment = 1024 : i64} : <1, 64x16xf16, #half>
  %b = cta.alloc {alignment = 1024 : i64} : <1, 16x8xf16, #halfRight>
  %z0 = arith.constant dense<0.0> : tensor<64x8xf16, #c>
  %d = cta.dot %a[%slot], %b[%slot], %z0 : !cta.buffer<1, 64x16xf16, #half>, !cta.buffer<1, 16x8xf16, #halfRight> -> tensor<64x8xf16, #c> by #cta.wgmma<m64n8k16>
  tts.store %d to %o[%zero] strides [8, 1] : tensor<64x8xf16, #c>, memref<*xf16>
  %s = cta.alloc {alignment = 1024 : i64} : <1, 64x64xf8E4M3FN, #left>
  %t = cta.alloc {alignment = 1024 : i64} : <1, 64x16xf8E4M3FN, #wideRight>
  %z1 = arith.constant dense<0.0> : tensor<64x16xf16, #wide>
  %e = cta.dot %s[%slot], %t[%slot], %z1 : !cta.buffer<1, 64x64xf8E4M3FN, #left>, !cta.buffer<1, 64x16xf8E4M3FN, #wideRight> -> tensor<64x16xf16, #wide> by #cta.wgmma<m64n16k32>
  tts.store %e to %o[%zero] strides [16, 1] : tensor<64x16xf16, #wide>, memref<*xf16>
  return
}
