// Operands of products that follow one another are written before the first of them, as far as there is room.
// RUN: triton-shared-opt %s --cta-write-together | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#c = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
!tile = tensor<64x64xf16, #rows>
!sum = tensor<64x64xf32, #c>
!buffer = !cta.buffer<1, 64x64xf16, #s>

// What is there is written at once, ahead of what the first product reads: one fence is for all, behind which threads meet. What the first product is needed for comes behind it.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<{{[^:]*}}, %[[Y:[a-z0-9]*]]: tensor<{{[^:]*}}, %[[Z:[a-z0-9]*]]: tensor<
// CHECK: cta.write %[[Z]] to %[[C:.*]][%{{.*}}] : tensor
// CHECK: cta.write %[[X]] to %[[A:.*]][%{{.*}}] : tensor
// CHECK: cta.write %[[Y]] to %[[B:.*]][%{{.*}}] fenced : tensor
// CHECK: %[[FIRST:.*]] = cta.dot %[[A]][%{{.*}}], %[[B]][
// CHECK: cta.dot %[[A]][%{{.*}}], %[[C]][
// CHECK: %[[MADE:.*]] = cta.convert_layout
// CHECK: cta.write %[[MADE]] to %[[D:.*]][%{{.*}}] fenced
// CHECK: cta.dot %[[A]][%{{.*}}], %[[D]][
func.func @two(%x: !tile, %y: !tile, %z: !tile, %zeros: !sum) -> (!sum, !sum, !sum)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = arith.constant 0 : i32
  %a = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %x to %a[%0] : !tile to !buffer
  %b = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %y to %b[%0] fenced : !tile to !buffer
  %p = cta.dot %a[%0], %b[%0], %zeros : !buffer, !buffer -> !sum by #cta.wgmma<m64n64k16>
  %c = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %z to %c[%0] fenced : !tile to !buffer
  %q = cta.dot %a[%0], %c[%0], %zeros : !buffer, !buffer -> !sum by #cta.wgmma<m64n64k16>
  %half = arith.truncf %p : !sum to tensor<64x64xf16, #c>
  %made = cta.convert_layout %half : tensor<64x64xf16, #c> -> !tile
  %d = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %made to %d[%0] fenced : !tile to !buffer
  %r = cta.dot %a[%0], %d[%0], %zeros : !buffer, !buffer -> !sum by #cta.wgmma<m64n64k16>
  return %p, %q, %r : !sum, !sum, !sum
}

// A ring of the program takes the room.
// CHECK-LABEL: func.func @no_room(
// CHECK: cta.dot
// CHECK: cta.write
// CHECK: cta.dot
func.func @no_room(%x: !tile, %y: !tile, %z: !tile, %zeros: !sum) -> (!sum, !sum)
    attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">} {
  %0 = arith.constant 0 : i32
  %ring = cta.alloc {alignment = 1024 : i64} : !cta.buffer<5, 64x64xf16, #s>
  %a = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %x to %a[%0] : !tile to !buffer
  %b = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %y to %b[%0] fenced : !tile to !buffer
  %p = cta.dot %a[%0], %b[%0], %zeros : !buffer, !buffer -> !sum by #cta.wgmma<m64n64k16>
  %c = cta.alloc {alignment = 1024 : i64} : !buffer
  cta.write %z to %c[%0] fenced : !tile to !buffer
  %q = cta.dot %ring[%0], %c[%0], %p : !cta.buffer<5, 64x64xf16, #s>, !buffer -> !sum by #cta.wgmma<m64n64k16>
  return %p, %q : !sum, !sum
}
