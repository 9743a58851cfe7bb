// RUN: triton-shared-opt %s --structured-to-memref --split-input-file | FileCheck %s

// A strided block is a view of memory; loading it is one copy.
// CHECK-LABEL: func.func @load(
// CHECK-SAME:    %[[P:.*]]: memref<*xf32>, %[[O:.*]]: i64)
// CHECK:         %[[OFFSET:.*]] = arith.index_cast %[[O]]
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[P]] to offset: [%[[OFFSET]]], sizes: [8], strides: [1] : memref<*xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT:    memref.copy %[[VIEW]], %[[BUFFER]]
// CHECK-NEXT:    %[[T:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
// CHECK-NEXT:    return %[[T]]
func.func @load(%p: memref<*xf32>, %o: i64) -> tensor<8xf32> {
  %t = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// Strides are what they are: dynamic, zero, negative.
// CHECK-LABEL: func.func @strides(
// CHECK:         %[[S:.*]] = arith.index_cast %arg1
// CHECK:         memref.reinterpret_cast %arg0 to offset: [100], sizes: [2, 4, 8], strides: [%[[S]], 0, -3]
func.func @strides(%p: memref<*xf32>, %s: i64) -> tensor<2x4x8xf32> {
  %o = arith.constant 100 : i64
  %t = tts.load %p[%o] strides [%s, 0, -3] : memref<*xf32> -> tensor<2x4x8xf32>
  return %t : tensor<2x4x8xf32>
}

// -----

// A view of memory cannot start at a constant before its base, nor can a part
// of it: the base is moved.
// CHECK-LABEL: func.func @before_the_base(
// CHECK:         memref.extract_aligned_pointer_as_index %arg0
// CHECK:         llvm.inttoptr
// CHECK:         %[[BASE:.*]] = builtin.unrealized_conversion_cast
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [8], strides: [1]
func.func @before_the_base(%p: memref<*xf32>) -> tensor<8xf32> {
  %o = arith.constant -64 : i64
  %t = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// CHECK-LABEL: func.func @part_before_the_base(
// CHECK:         %[[BASE:.*]] = builtin.unrealized_conversion_cast
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%{{.*}}], strides: [-1]
func.func @part_before_the_base(%p: memref<*xf32>, %v: tensor<8xf32>, %n: i64) {
  %o = arith.constant 2 : i64
  %l = arith.constant 3 : i64
  tts.store %v to %p[%o] strides [-1] bounds [0] from (%l) to (%n) : tensor<8xf32>, memref<*xf32>
  return
}

// -----

// Bounds cut the copy on both sides; the rest is `other`, filled in only if
// there is a rest.
// CHECK-LABEL: func.func @bounded_load(
// CHECK-SAME:    %[[P:.*]]: memref<*xf32>, %[[N:.*]]: i64, %[[X:.*]]: f32)
// CHECK:         %[[HIGH:.*]] = arith.index_cast %[[N]]
// CHECK:         %[[RAISED:.*]] = arith.maxsi %[[HIGH]]
// CHECK:         %[[SIZE:.*]] = arith.minsi %[[RAISED]]
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast
// CHECK:         %[[FROM:.*]] = memref.subview %[[VIEW]][0, 0] [4, %[[SIZE]]] [1, 1]
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK:         %[[SHORT:.*]] = arith.cmpi slt, %[[SIZE]]
// CHECK:         scf.if %[[SHORT]] {
// CHECK-NEXT:      linalg.fill ins(%[[X]] : f32) outs(%[[BUFFER]]
// CHECK-NEXT:    }
// CHECK:         %[[TO:.*]] = memref.subview %[[BUFFER]][0, 0] [4, %[[SIZE]]] [1, 1]
// CHECK:         memref.copy %[[FROM]], %[[TO]]
func.func @bounded_load(%p: memref<*xf32>, %n: i64, %x: f32) -> tensor<4x8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [16, 1] bounds [1] from (%zero) to (%n)
         other %x : f32 : memref<*xf32> -> tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// -----

// Without `other` the rest is undefined: zero, so that runs agree.
// CHECK-LABEL: func.func @undefined_is_zero(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         scf.if
// CHECK-NEXT:      linalg.fill ins(%[[ZERO]] : f32)
func.func @undefined_is_zero(%p: memref<*xf32>, %n: i64) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [1] bounds [0] from (%zero) to (%n)
         : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// `other` may differ from element to element.
// CHECK-LABEL: func.func @tensor_of_others(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>)
// CHECK:         scf.if
// CHECK-NEXT:      bufferization.materialize_in_destination %[[X]] in writable
func.func @tensor_of_others(%p: memref<*xf32>, %n: i64, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [1] bounds [0] from (%zero) to (%n)
         other %x : tensor<8xf32> : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// Bounds that hold for the whole block leave no trace.
// CHECK-LABEL: func.func @complete(
// CHECK-NOT:     memref.subview
// CHECK-NOT:     scf.if
// CHECK:         memref.copy
func.func @complete(%p: memref<*xf32>) -> tensor<8xf32> {
  %low = arith.constant -3 : i64
  %high = arith.constant 9 : i64
  %t = tts.load %p[%high] strides [1] bounds [0] from (%low) to (%high)
         : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// A bound outside of the block is clamped, and an empty part lies inside it.
// CHECK-LABEL: func.func @nothing_left(
// CHECK:         memref.subview %{{.*}}[7] [0] [1]
func.func @nothing_left(%p: memref<*xf32>) -> tensor<8xf32> {
  %low = arith.constant 20 : i64
  %high = arith.constant 4 : i64
  %t = tts.load %p[%high] strides [1] bounds [0] from (%low) to (%high)
         : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// A store puts the tensor into the view.
// CHECK-LABEL: func.func @store(
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [8], strides: [1] : memref<*xf32> to memref<8xf32, strided<[1]>>
// CHECK-NEXT:    bufferization.materialize_in_destination %arg1 in writable %[[VIEW]]
func.func @store(%p: memref<*xf32>, %v: tensor<8xf32>) {
  %zero = arith.constant 0 : i64
  tts.store %v to %p[%zero] strides [1] : tensor<8xf32>, memref<*xf32>
  return
}

// -----

// Bounds cut the same part out of the tensor and of the view; a lower bound
// moves its start.
// CHECK-LABEL: func.func @bounded_store(
// CHECK:         %[[LOW:.*]] = arith.minsi
// CHECK:         %[[HIGH:.*]] = arith.minsi
// CHECK:         %[[START:.*]] = arith.minsi %[[LOW]]
// CHECK:         %[[SIZE:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast
// CHECK:         %[[PLACE:.*]] = memref.subview %[[VIEW]][%[[START]]] [%[[SIZE]]] [1]
// CHECK:         %[[PART:.*]] = tensor.extract_slice %arg1[%[[START]]] [%[[SIZE]]] [1]
// CHECK:         bufferization.materialize_in_destination %[[PART]] in writable %[[PLACE]]
func.func @bounded_store(%p: memref<*xf32>, %v: tensor<8xf32>, %l: i64, %h: i64) {
  %zero = arith.constant 0 : i64
  tts.store %v to %p[%zero] strides [1] bounds [0] from (%l) to (%h) : tensor<8xf32>, memref<*xf32>
  return
}

// -----

// Elements that share an address are stored one after the other.
// CHECK-LABEL: func.func @shared_address(
// CHECK-NOT:     bufferization.materialize_in_destination
// CHECK:         scf.for
// CHECK:           affine.store
func.func @shared_address(%p: memref<*xf32>, %v: tensor<8xf32>) {
  %zero = arith.constant 0 : i64
  tts.store %v to %p[%zero] strides [0] : tensor<8xf32>, memref<*xf32>
  return
}

// -----

// One element shares its address with no other, whatever its stride.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT:     scf.for
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 8], strides: [0, 1]
// CHECK:         bufferization.materialize_in_destination %{{.*}} in writable %[[VIEW]]
func.func @one_row(%p: memref<*xf32>, %v: tensor<1x8xf32>) {
  %zero = arith.constant 0 : i64
  tts.store %v to %p[%zero] strides [0, 1] : tensor<1x8xf32>, memref<*xf32>
  return
}

// -----

// One that becomes such a constant when a condition is known moves the base, too.
// CHECK-LABEL: func.func @chosen_before_the_base(
// CHECK:         %[[CHOICE:.*]] = arith.select %arg1, %{{.*}}, %{{.*}} : i64
// CHECK:         memref.extract_aligned_pointer_as_index %arg0
// CHECK:         llvm.inttoptr
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0]
func.func @chosen_before_the_base(%p: memref<*xf32>, %c: i1) -> f32 {
  %zero = arith.constant 0 : i64
  %before = arith.constant -4 : i64
  %o = arith.select %c, %zero, %before : i64
  %v = tts.load %p[%o] strides [] : memref<*xf32> -> f32
  return %v : f32
}
