// RUN: triton-shared-opt %s --linalg-to-cpu | FileCheck %s

// The whole way from phase memref: loops in the LLVM dialect, every buffer
// freed, no promise that addresses do not wrap.
// CHECK-LABEL: llvm.func @kernel.entry(
// CHECK:         llvm.call @kernel(
// CHECK-LABEL: llvm.func internal @kernel(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i32
// CHECK-NOT:     inbounds
// CHECK:         llvm.call @malloc
// CHECK:         llvm.call @expf
// CHECK:         llvm.call @free
// CHECK:         llvm.return
func.func @kernel(%p: memref<*xf32>, %q: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32,
                  %x: i32, %y: i32, %z: i32) {
  %from = memref.reinterpret_cast %p to offset: [0], sizes: [8], strides: [1]
            : memref<*xf32> to memref<8xf32, strided<[1]>>
  %buffer = memref.alloc() : memref<8xf32>
  memref.copy %from, %buffer : memref<8xf32, strided<[1]>> to memref<8xf32>
  %t = bufferization.to_tensor %buffer restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %to = memref.reinterpret_cast %q to offset: [0], sizes: [8], strides: [1]
          : memref<*xf32> to memref<8xf32, strided<[1]>>
  bufferization.materialize_in_destination %r in writable %to
    : (tensor<8xf32>, memref<8xf32, strided<[1]>>) -> ()
  return
}
