// RUN: triton-shared-opt %s --split-input-file --verify-roundtrip | FileCheck %s

// Types as they are written, in either vintage.

// CHECK-LABEL: tt.func private @pointers(
// CHECK-SAME:    !tt.ptr<f32>, !tt.ptr<i1, 3>, !tt.ptr<!tt.ptr<f16>>, tensor<64x!tt.ptr<bf16>>, !tt.ptr<tensor<64x32xf16>>)
tt.func private @pointers(!tt.ptr<f32, 1>, !tt.ptr<i1, 3>, !tt.ptr<!tt.ptr<f16>>, tensor<64x!tt.ptr<bf16>>, !tt.ptr<tensor<64x32xf16>>)

// -----

// CHECK-LABEL: tt.func private @words(
// CHECK-SAME:    !tt.ptr<f32>, !tt.ptr<f8E4M3FN, "constant">, !tt.ptr<i8, "descriptor">)
tt.func private @words(!tt.ptr<f32, "global">, !tt.ptr<f8E4M3FN, "constant">, !tt.ptr<i8, "descriptor">)

// -----

// CHECK-LABEL: tt.func private @old_descriptors(
// CHECK-SAME:    !tt.tensordesc<tensor<16x32xf32>>, !tt.tensordesc<tensor<8xsi8>>)
tt.func private @old_descriptors(!tt.tensordesc<tensor<16x32xf32>>, !tt.tensordesc<tensor<8xsi8>>)

// -----

// CHECK-LABEL: tt.func private @new_descriptors(
// CHECK-SAME:    !tt.tensordesc<16x32xf32>, !tt.tensordesc<8xsi8>)
tt.func private @new_descriptors(!tt.tensordesc<16x32xf32>, !tt.tensordesc<8xsi8>)

// -----

// A text with both spellings is printed in the older one.
// CHECK-LABEL: tt.func private @mixed(
// CHECK-SAME:    !tt.tensordesc<tensor<16xf32>>, !tt.tensordesc<tensor<8xf32>>)
tt.func private @mixed(!tt.tensordesc<tensor<16xf32>>, !tt.tensordesc<8xf32>)
