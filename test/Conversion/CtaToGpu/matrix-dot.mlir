// Products on tensor cores: one nvvm.mma.sync for each small matrix, of registers as it takes them.
// RUN: triton-shared-opt %s --cta-allocate-shared --cta-to-gpu --canonicalize --cse | FileCheck %s

#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// Two columns of matrices: the left operand is used twice, and nothing is shared.
// CHECK-LABEL: gpu.func @halves(
// CHECK-SAME: cta.shared = 0 : i64
// CHECK: nvvm.mma.sync A[%[[A0:.*]], %[[A1:.*]], %[[A2:.*]], %[[A3:.*]]] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]]
// CHECK-NOT: nvvm.mma.sync
func.func @halves(%p: memref<*xf16>, %o: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #a>
  %b = tts.load %p[%zero] strides [16, 1] : memref<*xf16> -> tensor<16x16xf16, #b>
  %sum = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = cta.dot %a, %b, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #c> by #cta.mma<m16n8k16, f16>
  tts.store %d to %o[%zero] strides [16, 1] : tensor<16x16xf32, #c>, memref<*xf32>
  return
}

#at = #cta.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#bt = #cta.layout<register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#ct = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// CHECK-LABEL: gpu.func @tf32(
// CHECK-COUNT-6: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32)
func.func @tf32(%p: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [8, 1] : memref<*xf32> -> tensor<16x8xf32, #at>
  %b = tts.load %p[%zero] strides [8, 1] : memref<*xf32> -> tensor<8x8xf32, #bt>
  %sum = arith.constant dense<0.0> : tensor<16x8xf32, #ct>
  %d = cta.dot %a, %b, %sum precision "tf32" : tensor<16x8xf32, #at>, tensor<8x8xf32, #bt> -> tensor<16x8xf32, #ct> by #cta.mma<m16n8k8, tf32>
  tts.store %d to %p[%zero] strides [8, 1] : tensor<16x8xf32, #ct>, memref<*xf32>
  return
}

#ad = #cta.layout<register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#bd = #cta.layout<register = [[4, 0], [8, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// f64 in matrices of 16 rows: eight registers, four, and four sums.
// CHECK-LABEL: gpu.func @doubles(
// CHECK: %[[D:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f64"(%{{.*}}, %[[C:.*]], %[[C]], %[[C]], %[[C]]) : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) -> !llvm.struct<(f64, f64, f64, f64)>
// CHECK: llvm.extractvalue %[[D]][3]
// CHECK-NOT: llvm.nvvm.mma
func.func @doubles(%p: memref<*xf64>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [16, 1] : memref<*xf64> -> tensor<16x16xf64, #ad>
  %b = tts.load %p[%zero] strides [8, 1] : memref<*xf64> -> tensor<16x8xf64, #bd>
  %sum = arith.constant dense<0.0> : tensor<16x8xf64, #ct>
  %d = cta.dot %a, %b, %sum : tensor<16x16xf64, #ad>, tensor<16x8xf64, #bd> -> tensor<16x8xf64, #ct> by #cta.mma<m16n8k16, f64>
  tts.store %d to %p[%zero] strides [8, 1] : tensor<16x8xf64, #ct>, memref<*xf64>
  return
}

#ai = #cta.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#bi = #cta.layout<register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// CHECK-LABEL: gpu.func @bytes(
// CHECK: nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
func.func @bytes(%p: memref<*xi8>, %o: memref<*xi32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %p[%zero] strides [32, 1] : memref<*xi8> -> tensor<16x32xi8, #ai>
  %b = tts.load %p[%zero] strides [8, 1] : memref<*xi8> -> tensor<32x8xi8, #bi>
  %sum = arith.constant dense<0> : tensor<16x8xi32, #ct>
  %d = cta.dot %a, %b, %sum : tensor<16x32xi8, #ai>, tensor<32x8xi8, #bi> -> tensor<16x8xi32, #ct> by #cta.mma<m16n8k32, i8>
  tts.store %d to %o[%zero] strides [8, 1] : tensor<16x8xi32, #ct>, memref<*xi32>
  return
}
