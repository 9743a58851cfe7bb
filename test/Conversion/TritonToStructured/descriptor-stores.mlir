// RUN: triton-shared-opt %s --triton-descriptors-to-structured --canonicalize | FileCheck %s

// A store through a descriptor is bounded all round.
// CHECK-LABEL: tt.func @store(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f16> {{{.*}}}, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[SM:[^:]*]]: i64
// CHECK:         tts.store %{{.*}} to %[[P]][%{{.*}}] strides [%[[SM]], 1]
// CHECK-SAME:      bounds [0, 1] from({{.*}}) to({{.*}})
tt.func @store(%d: !tt.tensordesc<tensor<8x16xf16>>, %v: tensor<8x16xf16>, %i: i32) {
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x16xf16>>, tensor<8x16xf16>
  tt.return
}

// Rows are picked by index; a row outside of the tensor is not written.
// CHECK-LABEL: tt.func @scatter(
// CHECK:         %[[ROWS:.*]] = arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
// CHECK:         arith.cmpi ult, %[[ROWS]]
// CHECK:         tts.store {{.*}} gather [0] by(%[[ROWS]] : tensor<8xi64>)
// CHECK-SAME:      bounds [1] {{.*}} mask %{{.*}} : tensor<8x16xi1>
tt.func @scatter(%d: !tt.tensordesc<tensor<1x16xf16>>, %x: tensor<8xi32>, %y: i32, %v: tensor<8x16xf16>) {
  tt.descriptor_scatter %d[%x, %y], %v : !tt.tensordesc<tensor<1x16xf16>>, tensor<8xi32>, i32, tensor<8x16xf16>
  tt.return
}
