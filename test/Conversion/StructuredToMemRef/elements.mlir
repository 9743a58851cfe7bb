// RUN: triton-shared-opt %s --structured-to-memref --split-input-file | FileCheck %s

// A scalar is the only element of a view.
// CHECK-LABEL: func.func @scalars(
// CHECK:         %[[FROM:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [1], strides: [1] : memref<*xf32> to memref<1xf32, strided<[1]>>
// CHECK-NEXT:    %[[V:.*]] = affine.load %[[FROM]][0]
// CHECK:         %[[TO:.*]] = memref.reinterpret_cast %arg0 to offset: [%{{.*}}], sizes: [1]
// CHECK-NEXT:    affine.store %[[V]], %[[TO]][0]
func.func @scalars(%p: memref<*xf32>, %o: i64) {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [] : memref<*xf32> -> f32
  tts.store %v to %p[%o] strides [] : f32, memref<*xf32>
  return
}

// -----

// A masked scalar is touched only if the mask is true.
// CHECK-LABEL: func.func @masked_scalars(
// CHECK-SAME:    %[[P:.*]]: memref<*xf32>, %[[M:.*]]: i1, %[[X:.*]]: f32)
// CHECK:         %[[V:.*]] = scf.if %[[M]] -> (f32) {
// CHECK:           %[[LOADED:.*]] = affine.load
// CHECK:           scf.yield %[[LOADED]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[X]]
// CHECK:         scf.if %[[M]] {
// CHECK:           affine.store %[[V]]
func.func @masked_scalars(%p: memref<*xf32>, %m: i1, %x: f32) {
  %zero = arith.constant 0 : i64
  %v = tts.load %p[%zero] strides [] mask %m : i1 other %x : f32 : memref<*xf32> -> f32
  tts.store %v to %p[%zero] strides [] mask %m : i1 : f32, memref<*xf32>
  return
}

// -----

// A wrapped dimension may wrap any number of times.
// CHECK-LABEL: func.func @wrapped(
// CHECK-SAME:    %[[P:.*]]: memref<*xf32>, %[[START:.*]]: i64, %[[SIZE:.*]]: i64)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[S:.*]] = arith.index_cast %[[START]]
// CHECK:           %[[SUM:.*]] = arith.addi %[[S]], %[[I]]
// CHECK:           %[[N:.*]] = arith.index_cast %[[SIZE]]
// CHECK:           %[[POSITION:.*]] = arith.remui %[[SUM]], %[[N]]
// CHECK:           %[[DISTANCE:.*]] = arith.muli %[[POSITION]]
// CHECK:           memref.reinterpret_cast %[[P]] to offset: [%[[DISTANCE]]], sizes: [1]
func.func @wrapped(%p: memref<*xf32>, %s: i64, %n: i64) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [2] wrap [0] from (%s) size (%n) : memref<*xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// A gathered dimension reads its position from a tensor, a bounded one limits
// the loop.
// CHECK-LABEL: func.func @gathered_rows(
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK:         linalg.fill
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:      scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK:             %[[ROW:.*]] = tensor.extract %arg1[%[[I]]]
// CHECK:             %[[VALUE:.*]] = affine.load
// CHECK:             memref.store %[[VALUE]], %[[BUFFER]][%[[I]], %[[J]]]
func.func @gathered_rows(%p: memref<*xf32>, %rows: tensor<4xi64>, %n: i64) -> tensor<4x8xf32> {
  %zero = arith.constant 0 : i64
  %t = tts.load %p[%zero] strides [16, 1] gather [0] by (%rows : tensor<4xi64>)
         bounds [1] from (%zero) to (%n) : memref<*xf32> -> tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// -----

// A masked element of a gather stays `other`, and its address is not read.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[P:.*]]: memref<*xf32>, %[[O:.*]]: tensor<8xi64>, %[[M:.*]]: tensor<8xi1>, %[[X:.*]]: f32)
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT:    linalg.fill ins(%[[X]] : f32) outs(%[[BUFFER]]
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      %[[TAKES_PART:.*]] = tensor.extract %[[M]][%[[I]]]
// CHECK-NEXT:      scf.if %[[TAKES_PART]] {
// CHECK:             tensor.extract %[[O]][%[[I]]]
// CHECK:             affine.load
// CHECK:             memref.store
// CHECK:         bufferization.to_tensor %[[BUFFER]] restrict writable
func.func @gather(%p: memref<*xf32>, %o: tensor<8xi64>, %m: tensor<8xi1>, %x: f32) -> tensor<8xf32> {
  %t = tts.gather %p[%o] mask %m : tensor<8xi1> other %x : f32 : memref<*xf32>, tensor<8xi64> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// A scatter stores in row-major order, so that the last of equal offsets stays.
// CHECK-LABEL: func.func @scatter(
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK:             tensor.extract %{{.*}}[%[[I]], %[[J]]] : tensor<2x4xf32>
// CHECK:             affine.store
func.func @scatter(%p: memref<*xf32>, %o: tensor<2x4xi64>, %v: tensor<2x4xf32>) {
  tts.scatter %v to %p[%o] : tensor<2x4xf32>, memref<*xf32>, tensor<2x4xi64>
  return
}

// -----

// A volatile read is one of LLVM's, on the bits of the element.
// CHECK-LABEL: func.func @volatile_scalar(
// CHECK:         memref.extract_aligned_pointer_as_index %arg0
// CHECK:         %[[POINTER:.*]] = llvm.inttoptr
// CHECK:         %[[BITS:.*]] = llvm.load volatile %[[POINTER]] : !llvm.ptr -> i16
// CHECK:         arith.bitcast %[[BITS]] : i16 to bf16
func.func @volatile_scalar(%p: memref<*xbf16>, %o: i64) -> bf16 {
  %v = tts.load %p[%o] strides [] {is_volatile} : memref<*xbf16> -> bf16
  return %v : bf16
}
