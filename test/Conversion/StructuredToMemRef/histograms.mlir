// RUN: triton-shared-opt %s --structured-to-memref | FileCheck %s

// CHECK-DAG: #[[ELEMENT:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[BIN:.*]] = affine_map<(d0, d1) -> (d1)>

// Each bin counts the elements that equal its number.
// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[X:.*]]: tensor<64xi32>)
// CHECK:         %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : i32) outs(%{{.*}} : tensor<16xi32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ELEMENT]], #[[BIN]]], iterator_types = ["reduction", "parallel"]} ins(%[[X]] : tensor<64xi32>) outs(%[[ZEROS]] : tensor<16xi32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: i32, %[[COUNT:.*]]: i32):
// CHECK:           %[[INDEX:.*]] = linalg.index 1
// CHECK:           %[[NUMBER:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK:           %[[HIT:.*]] = arith.cmpi eq, %[[IN]], %[[NUMBER]]
// CHECK:           %[[ONE:.*]] = arith.extui %[[HIT]] : i1 to i32
// CHECK:           arith.addi %[[COUNT]], %[[ONE]]
func.func @count(%x: tensor<64xi32>) -> tensor<16xi32> {
  %0 = tts.histogram %x : tensor<64xi32> -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// Elements that are masked off do not count.
// CHECK-LABEL: func.func @masked(
// CHECK:         linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ELEMENT]], #[[BIN]]]
// CHECK-NEXT:    ^bb0(%{{.*}}: i32, %[[MASK:.*]]: i1, %{{.*}}: i32):
// CHECK:           %[[HIT:.*]] = arith.cmpi eq
// CHECK:           arith.andi %[[HIT]], %[[MASK]]
func.func @masked(%x: tensor<64xi32>, %m: tensor<64xi1>) -> tensor<16xi32> {
  %0 = tts.histogram %x mask %m : tensor<64xi1> : tensor<64xi32> -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// Small elements are unsigned, and compared in a type that holds every number.
// CHECK-LABEL: func.func @bytes(
// CHECK:           arith.extui %{{.*}} : i8 to i32
func.func @bytes(%x: tensor<64xi8>) -> tensor<512xi32> {
  %0 = tts.histogram %x : tensor<64xi8> -> tensor<512xi32>
  return %0 : tensor<512xi32>
}
