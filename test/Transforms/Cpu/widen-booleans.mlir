// RUN: triton-shared-opt %s --cpu-widen-booleans | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Bodies read and yield bytes.
// CHECK-LABEL: func.func @generic(
// CHECK:         %[[MASK:.*]] = memref.alloc() : memref<8xi8>
// CHECK:         ^bb0(%[[A:.*]]: f32, %{{.*}}: i8):
// CHECK:           %[[LESS:.*]] = arith.cmpf
// CHECK:           %[[BYTE:.*]] = arith.extui %[[LESS]] : i1 to i8
// CHECK:           linalg.yield %[[BYTE]] : i8
// CHECK:         ^bb0(%[[M:.*]]: i8, %{{.*}}: f32):
// CHECK:           %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK:           %[[BOOL:.*]] = arith.cmpi ne, %[[M]], %[[ZERO]] : i8
// CHECK:           arith.select %[[BOOL]]
func.func @generic(%x: memref<8xf32>, %y: f32) {
  %mask = memref.alloc() : memref<8xi1>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : memref<8xf32>) outs(%mask : memref<8xi1>) {
  ^bb0(%a: f32, %o: i1):
    %less = arith.cmpf olt, %a, %y : f32
    linalg.yield %less : i1
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%mask : memref<8xi1>) outs(%x : memref<8xf32>) {
  ^bb0(%m: i1, %o: f32):
    %s = arith.select %m, %y, %o : f32
    linalg.yield %s : f32
  }
  return
}

// Single elements and fills, too.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:.*]]: i1)
// CHECK:         %[[FILL:.*]] = arith.extui %[[X]]
// CHECK:         linalg.fill ins(%[[FILL]] : i8)
// CHECK:         %[[BYTE:.*]] = memref.load
// CHECK:         %[[BOOL:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK:         %[[AGAIN:.*]] = arith.extui %[[BOOL]]
// CHECK:         memref.store %[[AGAIN]]
func.func @elements(%x: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %mask = memref.alloc() : memref<8xi1>
  linalg.fill ins(%x : i1) outs(%mask : memref<8xi1>)
  %y = memref.load %mask[%zero] : memref<8xi1>
  memref.store %y, %mask[%one] : memref<8xi1>
  return
}
