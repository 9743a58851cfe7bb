// Tiles in shared memory are read as they are printed.
// RUN: triton-shared-opt %s | triton-shared-opt | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#part = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#whole = #cta.layout<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
// CHECK: #[[SHARED:shared[0-9]*]] = #cta.shared<{{\[\[}}0, 1], [0, 2], [0, 4], [1, 8], [0, 8], [2, 0], [4, 0]]>
#shared = #cta.shared<[[0, 1], [0, 2], [0, 4], [1, 8], [0, 8], [2, 0], [4, 0]]>
#turned = #cta.shared<[[1, 0], [2, 0], [4, 0], [8, 1], [8, 0], [0, 2], [0, 4]]>

// CHECK-LABEL: func.func @buffers(
func.func @buffers(%x: tensor<8x16xf16, #rows>, %w: tensor<8x16xf16, #whole>, %p: memref<*xf16>, %more: i1) -> tensor<8x8xf16, #part> {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  // CHECK: %[[BUFFER:.*]] = cta.alloc : <2, 8x16xf16, #[[SHARED]]>
  %buffer = cta.alloc : !cta.buffer<2, 8x16xf16, #shared>
  // CHECK: cta.write %{{.*}} to %[[BUFFER]][%{{.*}}] : tensor<8x16xf16, #{{.*}}> to <2, 8x16xf16, #[[SHARED]]>
  cta.write %x to %buffer[%zero] : tensor<8x16xf16, #rows> to !cta.buffer<2, 8x16xf16, #shared>
  // CHECK: cta.copy to %[[BUFFER]][%{{.*}}] if %{{.*}} : <2, 8x16xf16, #[[SHARED]]> {
  // CHECK-NEXT: tts.load
  // CHECK-NEXT: cta.yield %{{.*}} : tensor<8x16xf16, #{{.*}}>
  cta.copy to %buffer[%zero] if %more : !cta.buffer<2, 8x16xf16, #shared> {
    %0 = tts.load %p[%at] strides [16, 1] : memref<*xf16> -> tensor<8x16xf16, #rows>
    cta.yield %0 : tensor<8x16xf16, #rows>
  }
  // CHECK: cta.commit
  cta.commit
  // CHECK: cta.wait 1
  cta.wait 1
  // CHECK: cta.read %[[BUFFER]][%{{.*}}] [0, 8] : <2, 8x16xf16, #[[SHARED]]> -> tensor<8x8xf16, #{{.*}}>
  %r = cta.read %buffer[%zero] [0, 8] : !cta.buffer<2, 8x16xf16, #shared> -> tensor<8x8xf16, #part>
  // CHECK: cta.transpose_buffer %[[BUFFER]] [1, 0] : <2, 8x16xf16, #[[SHARED]]> -> <2, 16x8xf16, #{{.*}}>
  %turned = cta.transpose_buffer %buffer [1, 0] : !cta.buffer<2, 8x16xf16, #shared> -> !cta.buffer<2, 16x8xf16, #turned>
  // CHECK: cta.slice %{{.*}} [0, 4] : tensor<8x16xf16, #{{.*}}> -> tensor<8x4xf16, #{{.*}}>
  %s = cta.slice %x [0, 4] : tensor<8x16xf16, #rows> -> tensor<8x4xf16, #cta.layout<register = [[0, 1], [0, 2]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = []>>
  // CHECK: cta.insert_slice %{{.*}} into %{{.*}} [0, 8] : tensor<8x8xf16, #{{.*}}> into tensor<8x16xf16, #{{.*}}>
  %i = cta.insert_slice %r into %w [0, 8] : tensor<8x8xf16, #part> into tensor<8x16xf16, #whole>
  // CHECK: cta.wait_stores but 1
  cta.wait_stores but 1
  // CHECK-NEXT: cta.wait_stores
  // CHECK-NOT: but
  cta.wait_stores
  return %r : tensor<8x8xf16, #part>
}
