// A product without tensor cores exchanges one operand and reads the other one from its buffer behind that: who takes the buffer's place next waits for these reads.

// RUN: triton-shared-opt %s --cta-allocate-shared | FileCheck %s

#a = #cta.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#b = #cta.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8]]>
#flat = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>

// CHECK-LABEL: func.func @next(
func.func @next(%x: tensor<16x16xf32, #a>, %z: tensor<16x16xf32, #a>) -> tensor<16x16xf32, #b> attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  // CHECK: cta.alloc {{.*}}cta.shared_offset = 0 : i64
  %right = cta.alloc : !cta.buffer<1, 16x16xf32, #flat>
  cta.write %x to %right[%zero] : tensor<16x16xf32, #a> to !cta.buffer<1, 16x16xf32, #flat>
  // CHECK: cta.dot {{.*}}cta.shared_offset = 1024 : i64
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: cta.convert_layout {{.*}}cta.shared_offset = 0 : i64
  %d = cta.dot %x, %right[%zero], %z : tensor<16x16xf32, #a>, !cta.buffer<1, 16x16xf32, #flat> -> tensor<16x16xf32, #a>
  %0 = cta.convert_layout %d : tensor<16x16xf32, #a> -> tensor<16x16xf32, #b>
  return %0 : tensor<16x16xf32, #b>
}
