// RUN: triton-shared-opt %s --triton-descriptors-to-structured --canonicalize | FileCheck %s

// Only the dimensions in `boundaryCheck` are bounded; padding is `other`.
// CHECK-LABEL: tt.func @block_pointer(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64)
// CHECK:         %[[V:.*]] = tts.load %[[P]][%{{.*}}] strides [%[[S]], 1]
// CHECK-SAME:      bounds [1] from(%{{.*}}) to(%{{.*}}) other %{{.*}} : f32
// CHECK:         tts.store %[[V]] to %[[P]][%{{.*}}] strides [%[[S]], 1] :
tt.func @block_pointer(%p: !tt.ptr<f32>, %m: i64, %n: i64, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%c0, %c4] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %v = tt.load %b {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
  tt.store %b, %v : !tt.ptr<tensor<8x16xf32>>
  tt.return
}

// Truth values lie in memory as bytes, through block pointers too: any byte but 0 is true.
// CHECK-LABEL: tt.func @block_pointer_to_truth_values(
// CHECK:         %[[B:.*]] = tts.load {{.*}} : {{.*}}8xi8>
// CHECK:         %[[V:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : tensor<8xi8>
// CHECK:         %[[S:.*]] = arith.extui %[[V]] : tensor<8xi1> to tensor<8xi8>
// CHECK:         tts.store %[[S]]
tt.func @block_pointer_to_truth_values(%p: !tt.ptr<i1>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<8xi1>>
  %v = tt.load %b {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<8xi1>>
  tt.store %b, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xi1>>
  tt.return
}

// A loop that advances a block pointer carries its offsets and nothing else.
// CHECK-LABEL: tt.func @advance_in_loop(
// CHECK:         scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
// CHECK:           tts.load
// CHECK:           %[[N:.*]] = arith.addi %[[O]], %{{.*}} : i64
// CHECK:           scf.yield %[[N]] : i64
tt.func @advance_in_loop(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %o = tt.make_tensor_ptr %q, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %r = scf.for %i = %c0 to %k step %c8 iter_args(%a = %b) -> (!tt.ptr<tensor<8xf32>>) : i32 {
    %v = tt.load %a {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
    tt.store %o, %v : !tt.ptr<tensor<8xf32>>
    %next = tt.advance %a, [%c8] : <tensor<8xf32>>
    scf.yield %next : !tt.ptr<tensor<8xf32>>
  }
  tt.return
}

// A descriptor argument is its parts, in place; its loads are bounded all round. Base and rows are multiples of 16
// bytes, and elements of a row lie side by side, as every descriptor that a launch passes guarantees.
// CHECK-LABEL: tt.func @descriptor(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[SM:[^:]*]]: i64 {tt.divisibility = 8 : i32}, %{{[^:]*}}: i64, %[[NAN:[^:]*]]: i1, %{{.*}}: i1, %[[I:[^:]*]]: i32)
// CHECK:         %[[OTHER:.*]] = arith.select %[[NAN]]
// CHECK:         tts.load %[[P]][%{{.*}}] strides [%[[SM]], 1]
// CHECK-SAME:      bounds [0, 1] from({{.*}}) to({{.*}}) other %[[OTHER]] : f16
tt.func @descriptor(%d: !tt.tensordesc<tensor<8x16xf16>>, %i: i32) -> tensor<8x16xf16> {
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x16xf16>> -> tensor<8x16xf16>
  tt.return %v : tensor<8x16xf16>
}

// Loads of f32 are rounded to tf32 if the argument says so at run time.
// CHECK-LABEL: tt.func @rounded(
// CHECK-SAME:    %{{.*}}: i1, %[[ROUNDS:[^:]*]]: i1, %{{.*}}: i32)
// CHECK:         %[[V:.*]] = tts.load
// CHECK:         %[[ROUNDED:.*]] = arith.bitcast %{{.*}} : tensor<8xi32> to tensor<8xf32>
// CHECK:         arith.select %[[ROUNDS]], %[[ROUNDED]], %[[V]] : tensor<8xf32>
tt.func @rounded(%d: !tt.tensordesc<tensor<8xf32>>, %i: i32) -> tensor<8xf32> {
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}

// A descriptor that the kernel makes never rounds.
// CHECK-LABEL: tt.func @not_rounded(
// CHECK:         tts.load
// CHECK-NOT:     arith.bitcast
tt.func @not_rounded(%p: !tt.ptr<f32>, %n: i32, %i: i32) -> tensor<8xf32> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.ptr<f32>, !tt.tensordesc<tensor<8xf32>>
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}

// Rows are picked by index; a row outside of the tensor is masked.
// CHECK-LABEL: tt.func @gather(
// CHECK:         %[[ROWS:.*]] = arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[ROWS]]
// CHECK:         tts.load {{.*}} gather [0] by(%[[ROWS]] : tensor<8xi64>)
// CHECK-SAME:      bounds [1] {{.*}} mask %{{.*}} : tensor<8x16xi1>
tt.func @gather(%p: !tt.ptr<f16>, %x: tensor<8xi32>, %m: i32, %n: i32, %s: i64) -> tensor<8x16xf16> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<1x16xf16>>
  %v = tt.descriptor_gather %d[%x, %c0] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<8xi32>, i32) -> tensor<8x16xf16>
  tt.return %v : tensor<8x16xf16>
}

// The sign of the descriptor's elements picks the comparison.
// CHECK-LABEL: tt.func @reduce(
// CHECK:         tts.atomic_rmw max relaxed gpu
tt.func @reduce(%d: !tt.tensordesc<tensor<4xsi32>>, %v: tensor<4xi32>, %i: i32) {
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<tensor<4xsi32>>, tensor<4xi32>
  tt.return
}
