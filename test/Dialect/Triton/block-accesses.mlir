// RUN: triton-shared-opt %s --split-input-file --verify-roundtrip | FileCheck %s

// Accesses to blocks of strided tensors are printed as they were written.

// Block pointers, which Triton has up to 3.7.
// CHECK-LABEL: tt.func @block_pointers(
tt.func @block_pointers(%p: !tt.ptr<f16>, %n: i64, %i: i32, %v: tensor<64x32xf16>) {
  // CHECK: %[[B:.*]] = tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  // CHECK: tt.load %[[B]] cacheModifier = ca {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  %1 = tt.load %0 cacheModifier = ca {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  // CHECK: tt.advance %[[B]], [%{{.*}}, %{{.*}}] : <tensor<64x32xf16>>
  %2 = tt.advance %0, [%i, %i] : <tensor<64x32xf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
  tt.store %2, %v {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// -----

// Descriptors.
// CHECK-LABEL: tt.func @descriptors(
tt.func @descriptors(%p: !tt.ptr<i32>, %n: i32, %s: i64, %v: tensor<1x16xi32>, %rows: tensor<4xi32>) {
  // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <i32>, <1x16xsi32>
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <i32>, <1x16xsi32>
  // CHECK: %[[V:.*]] = tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] : !tt.tensordesc<1x16xsi32> -> tensor<1x16xi32>
  %1 = tt.descriptor_load %0[%n, %n] : !tt.tensordesc<1x16xsi32> -> tensor<1x16xi32>
  // CHECK: tt.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %[[V]] : !tt.tensordesc<1x16xsi32>, tensor<1x16xi32>
  tt.descriptor_store %0[%n, %n], %1 : !tt.tensordesc<1x16xsi32>, tensor<1x16xi32>
  // CHECK: tt.descriptor_reduce xor, %[[D]][%{{.*}}, %{{.*}}], %[[V]] : !tt.tensordesc<1x16xsi32>, tensor<1x16xi32>
  tt.descriptor_reduce xor, %0[%n, %n], %1 : !tt.tensordesc<1x16xsi32>, tensor<1x16xi32>
  // CHECK: %[[R:.*]] = tt.descriptor_gather %[[D]][%{{.*}}, %{{.*}}] : (!tt.tensordesc<1x16xsi32>, tensor<4xi32>, i32) -> tensor<4x16xi32>
  %2 = tt.descriptor_gather %0[%rows, %n] : (!tt.tensordesc<1x16xsi32>, tensor<4xi32>, i32) -> tensor<4x16xi32>
  // CHECK: tt.descriptor_scatter %[[D]][%{{.*}}, %{{.*}}], %[[R]] : !tt.tensordesc<1x16xsi32>, tensor<4xi32>, i32, tensor<4x16xi32>
  tt.descriptor_scatter %0[%rows, %n], %2 : !tt.tensordesc<1x16xsi32>, tensor<4xi32>, i32, tensor<4x16xi32>
  tt.return
}

// -----

// What a block has outside its tensor.
// CHECK-LABEL: tt.func @padding(
tt.func @padding(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // CHECK: tt.make_tensor_descriptor {{.*}} {padding = 2 : i32} : <f32>, <tensor<16xf32>>
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <f32>, <tensor<16xf32>>
  tt.return
}
