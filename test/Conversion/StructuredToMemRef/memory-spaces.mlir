// An address space that is neither global nor constant memory is the memory space of the memref, up to
// the documented form.
// RUN: triton-shared-opt %s --triton-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @block(
// CHECK-SAME:    %[[A:.*]]: memref<*xf32, 3>, %[[C:.*]]: memref<*xf32>, %[[O:.*]]: memref<*xf32>, %{{.*}}: i32
// CHECK:         %[[FROM:.*]] = memref.reinterpret_cast %[[A]] {{.*}} : memref<*xf32, 3> to memref<64xf32, strided<[1]>, 3>
// CHECK:         %[[BLOCK:.*]] = memref.alloc() : memref<64xf32>
// CHECK:         memref.copy %[[FROM]], %[[BLOCK]]
tt.func @block(%a: !tt.ptr<f32, 3>, %c: !tt.ptr<f32, 4>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %p = tt.splat %a : !tt.ptr<f32, 3> -> tensor<64x!tt.ptr<f32, 3>>
  %q = tt.addptr %p, %i : tensor<64x!tt.ptr<f32, 3>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32, 3>>
  %r = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %s = tt.addptr %r, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %s, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// So it is where the pointer is made of an integer or points to booleans.
// CHECK-LABEL: func.func @addresses(
// CHECK-SAME:    %{{.*}}: memref<*xi8, 5>, %[[A:.*]]: i64
// CHECK:         %[[P:.*]] = llvm.inttoptr %[[A]] : i64 to !llvm.ptr<3>
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)> to memref<1xf32, 3>
// CHECK:         memref.reinterpret_cast {{.*}} to memref<1xf32, strided<[1]>, 3>
// CHECK:         memref.reinterpret_cast {{.*}} to memref<1xi8, strided<[1]>, 5>
tt.func @addresses(%b: !tt.ptr<i1, 5>, %a: i64) {
  %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32, 3>
  %v = tt.load %p : !tt.ptr<f32, 3>
  tt.store %p, %v : !tt.ptr<f32, 3>
  %c = tt.load %b : !tt.ptr<i1, 5>
  tt.store %b, %c : !tt.ptr<i1, 5>
  tt.return
}

// A volatile access points there, too.
// CHECK-LABEL: func.func @volatile(
// CHECK:         %[[P:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<3>
// CHECK:         llvm.load volatile %[[P]] : !llvm.ptr<3> -> i32
tt.func @volatile(%a: !tt.ptr<f32, 3>, %o: !tt.ptr<f32>) {
  %v = tt.load %a {isVolatile = true} : !tt.ptr<f32, 3>
  tt.store %o, %v : !tt.ptr<f32>
  tt.return
}
