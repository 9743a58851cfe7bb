// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// A scan is one of tiles, with the same region.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>, %[[F:[^:]*]]: f32
// CHECK:         %[[S:.*]] = cta.scan %[[X]] axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-NEXT:      %[[LESS:.*]] = arith.mulf %[[SUM]], %[[F]] : f32
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[LESS]], %[[NEW]] : f32
// CHECK-NEXT:      cta.yield %[[NEXT]]
// CHECK:         return %[[S]]
func.func @elements(%x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = tts.scan %x axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %f : f32
    %2 = arith.addf %1, %b : f32
    tts.yield %2 : f32
  }
  return %0 : tensor<8xf32>
}

// Along one of several dimensions, from the end, of one tensor twice.
// CHECK-LABEL: func.func @reverse(
// CHECK-SAME:    %[[F:[^:]*]]: tensor<4x8xi32>
// CHECK:         %[[S:.*]]:2 = cta.scan %[[F]], %[[F]] axis 1 reverse
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32, %[[D:.*]]: i32):
// CHECK-NEXT:      %[[OR:.*]] = arith.ori %[[A]], %[[C]]
// CHECK-NEXT:      %[[ADD:.*]] = arith.addi %[[B]], %[[D]]
// CHECK-NEXT:      cta.yield %[[OR]], %[[ADD]]
// CHECK:         return %[[S]]#0, %[[S]]#1
func.func @reverse(%f: tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  %0:2 = tts.scan %f, %f axis 1 reverse : (tensor<4x8xi32>, tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %1 = arith.ori %a, %c : i32
    %2 = arith.addi %b, %d : i32
    tts.yield %1, %2 : i32, i32
  }
  return %0#0, %0#1 : tensor<4x8xi32>, tensor<4x8xi32>
}

// With nothing before it, an element stays what it is.
// CHECK-LABEL: func.func @alone(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x8xf32>
// CHECK:         return %[[X]]
func.func @alone(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = tts.scan %x axis 0 : (tensor<1x8xf32>) -> tensor<1x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    tts.yield %1 : f32
  }
  return %0 : tensor<1x8xf32>
}

// What a region checks or prints is about elements that belong together: they
// are combined in their order.
// CHECK-LABEL: func.func @checked(
// CHECK-NOT:     cta.scan
// CHECK:         scf.for
// CHECK:           tts.assert %{{.*}}, "overflow" : i1
// CHECK:         scf.for
// CHECK:           cta.map
// CHECK:             tts.assert %{{.*}}, "overflow" : i1
func.func @checked(%x: tensor<8xi32>, %y: tensor<4x8xi32>, %most: i32) -> (tensor<8xi32>, tensor<4x8xi32>) {
  %0 = tts.scan %x axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    %2 = arith.addi %a, %b : i32
    %3 = arith.cmpi sle, %2, %most : i32
    tts.assert %3, "overflow" : i1
    tts.yield %2 : i32
  }
  %1 = tts.scan %y axis 0 : (tensor<4x8xi32>) -> tensor<4x8xi32> {
  ^bb0(%a: i32, %b: i32):
    %2 = arith.addi %a, %b : i32
    %3 = arith.cmpi sle, %2, %most : i32
    tts.assert %3, "overflow" : i1
    tts.yield %2 : i32
  }
  return %0, %1 : tensor<8xi32>, tensor<4x8xi32>
}

// What a loop inserts is chosen by the index.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for %[[K:[a-z0-9]+]] =
// CHECK:           %[[I:.*]] = cta.iota 0 : tensor<8xindex>
// CHECK:           %[[AT:.*]] = cta.splat %[[K]] : tensor<8xindex>
// CHECK:           %[[NEW:.*]] = arith.cmpi eq, %[[I]], %[[AT]]
// CHECK:           arith.select %[[NEW]],
func.func @loop(%x: tensor<8xf32>, %y: tensor<8xf32>, %start: f32) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %k = %c1 to %c8 step %c1 iter_args(%sum = %start, %out = %y) -> (f32, tensor<8xf32>) {
    %new = tensor.extract %x[%k] : tensor<8xf32>
    %next = arith.addf %sum, %new : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<8xf32>
    scf.yield %next, %out1 : f32, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
