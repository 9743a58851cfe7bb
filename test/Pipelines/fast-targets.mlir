// Fast mode makes code for CPUs with any vectors: AVX-512, AVX2, SSE2, NEON.
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=skylake-avx512" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512 -o - | FileCheck %s --check-prefix=AVX512
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=x86-64-v4" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512 -o - | FileCheck %s --check-prefix=AVX512
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=haswell" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=haswell -o - | FileCheck %s --check-prefix=AVX2
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=x86-64" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64 -o - | FileCheck %s --check-prefix=SSE2
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=neoverse-n1" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=aarch64-linux-gnu -o - | FileCheck %s --check-prefix=NEON
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=znver4" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=znver4 -o - | FileCheck %s --check-prefix=ZEN4
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=sapphirerapids" | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -o - | FileCheck %s --check-prefix=SPR
// RUN: triton-shared-opt %s --linalg-to-cpu="mode=fast target=znver4 features=-avx512bf16" \
// RUN:   | FileCheck %s --check-prefix=WITHOUT
// RUN: not triton-shared-opt %s --linalg-to-cpu="mode=fast target=pdp11" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'pdp11'; use host, or LLVM's word for an x86-64 or AArch64 CPU

// AVX512-LABEL: kernel:
// AVX512:         vfmadd{{.*}} %zmm
// AVX512:         vscalefps %zmm
// AVX2-LABEL: kernel:
// AVX2-NOT:     zmm
// AVX2:         vfmadd{{.*}} %ymm
// SSE2-LABEL: kernel:
// SSE2-NOT:     ymm
// SSE2:         mulps
// SSE2-NOT:     callq fma
// NEON-LABEL: kernel:
// NEON:         fmla v{{[0-9]+}}.4s

func.func @kernel(%a: memref<*xf32>, %b: memref<*xf32>, %c: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  %zero = arith.constant 0.0 : f32
  %va = memref.reinterpret_cast %a to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xf32> to memref<16x16xf32>
  %vb = memref.reinterpret_cast %b to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xf32> to memref<16x16xf32>
  %vc = memref.reinterpret_cast %c to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xf32> to memref<16x16xf32>
  %ta = bufferization.to_tensor %va restrict : memref<16x16xf32> to tensor<16x16xf32>
  %tb = bufferization.to_tensor %vb restrict : memref<16x16xf32> to tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = linalg.matmul ins(%ta, %tb : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.exp ins(%d : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  bufferization.materialize_in_destination %r in writable %vc : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
  return
}

// Some CPUs have instructions for pairs of bf16, and some of these for matrices.
// ZEN4-LABEL: pairs:
// ZEN4:         vdpbf16ps {{.*}}%zmm
// SPR-LABEL: pairs:
// SPR:         callq tritonSharedMayUseMatrixTiles
// SPR:         ldtilecfg
// SPR:         tdpbf16ps
// SPR:         vdpbf16ps {{.*}}%zmm
// SPR:         tilerelease
// WITHOUT-LABEL: llvm.func @pairs.entry(
// WITHOUT-NOT:     dpbf16ps
func.func @pairs(%a: memref<*xbf16>, %b: memref<*xbf16>, %c: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  %zero = arith.constant 0.0 : f32
  %va = memref.reinterpret_cast %a to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xbf16> to memref<16x16xbf16>
  %vb = memref.reinterpret_cast %b to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xbf16> to memref<16x16xbf16>
  %vc = memref.reinterpret_cast %c to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<*xf32> to memref<16x16xf32>
  %ta = bufferization.to_tensor %va restrict : memref<16x16xbf16> to tensor<16x16xbf16>
  %tb = bufferization.to_tensor %vb restrict : memref<16x16xbf16> to tensor<16x16xbf16>
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = linalg.matmul ins(%ta, %tb : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  bufferization.materialize_in_destination %d in writable %vc : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
  return
}
