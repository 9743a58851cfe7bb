// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{barriers are one or more}}
func.func @none(%b: !cta.mbarriers<0>) { return }

// -----

#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
func.func @too_few_barriers(%map: !llvm.ptr, %i: i32, %b: !cta.buffer<3, 4x16xf16, #s>, %full: !cta.mbarriers<2>, %more: i1) {
  // expected-error@+1 {{has a barrier for each slot of its buffer}}
  cta.copy_box %map[%i, %i] dims [0, 1] by [4, 16] to %b[%i] at %full if %more : !llvm.ptr, !cta.buffer<3, 4x16xf16, #s>, !cta.mbarriers<2>
  return
}

// -----

#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
func.func @one_start(%map: !llvm.ptr, %i: i32, %b: !cta.buffer<1, 4x16xf16, #s>) {
  // expected-error@+1 {{has one start, dimension and size of pieces for each of the 2 dimensions of its buffer}}
  cta.store_box %b[%i] to %map[%i] dims [0, 1] by [4, 16] : !cta.buffer<1, 4x16xf16, #s>, !llvm.ptr
  return
}

// -----

#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
func.func @same_dimension(%map: !llvm.ptr, %i: i32, %b: !cta.buffer<1, 4x16xf16, #s>) {
  // expected-error@+1 {{names each dimension of its buffer once}}
  cta.store_box %b[%i] to %map[%i, %i] dims [0, 0] by [4, 16] : !cta.buffer<1, 4x16xf16, #s>, !llvm.ptr
  return
}

// -----

#s = #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
func.func @uneven(%map: !llvm.ptr, %i: i32, %b: !cta.buffer<1, 4x16xf16, #s>) {
  // expected-error@+1 {{cuts 16 elements into pieces of 12}}
  cta.store_box %b[%i] to %map[%i, %i] dims [0, 1] by [4, 12] : !cta.buffer<1, 4x16xf16, #s>, !llvm.ptr
  return
}

// -----

func.func @strides(%x: memref<*xf16>, %n: i64) {
  // expected-error@+1 {{has a size for each dimension of its box, and a stride for each but the last}}
  %map = cta.make_tensor_map %x sizes[%n, %n] strides[%n, %n] box [16, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
  return
}
