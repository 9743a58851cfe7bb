// RUN: triton-shared-opt %s --cpu-write-in-place --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// What is computed from the kernel's own buffers goes to memory at once.
// CHECK-LABEL: func.func @own_input(
// CHECK-SAME:    %[[TO:.*]]: memref<8xf32>)
// CHECK:         %[[IN:.*]] = memref.alloc()
// CHECK:         linalg.generic {{.*}} ins(%[[IN]] : {{.*}}) outs(%[[TO]] :
// CHECK-NOT:     memref.copy
func.func @own_input(%to: memref<8xf32>) {
  %in = memref.alloc() : memref<8xf32>
  %out = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%in : memref<8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  memref.copy %out, %to : memref<8xf32> to memref<8xf32>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// What is read from memory must lie elsewhere, or be the same elements.
// CHECK-LABEL: func.func @input_in_memory(
// CHECK-SAME:    %[[FROM:.*]]: memref<8xf32>, %[[TO:.*]]: memref<8xf32>)
// CHECK:         %[[BUFFER:.*]] = memref.alloc()
// CHECK:         %[[DISJOINT:.*]] = arith.ori
// CHECK:         %[[SAME:.*]] = arith.andi
// CHECK:         %[[FREE:.*]] = arith.ori %[[DISJOINT]], %[[SAME]]
// CHECK:         %[[TARGET:.*]] = scf.if %[[FREE]]
// CHECK:         linalg.generic {{.*}} outs(%[[TARGET]] :
// CHECK:         %[[NOT:.*]] = arith.xori %[[FREE]]
// CHECK:         scf.if %[[NOT]] {
// CHECK-NEXT:      memref.copy %[[BUFFER]], %[[TO]]
func.func @input_in_memory(%from: memref<8xf32>, %to: memref<8xf32>) {
  %out = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%from : memref<8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  memref.copy %out, %to : memref<8xf32> to memref<8xf32>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A block that is cut off goes through the buffer.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME:    %[[TO:[^:]*]]: memref<8xf32>, %[[N:.*]]: index)
// CHECK:         %[[WHOLE:.*]] = arith.constant 8
// CHECK:         %[[FREE:.*]] = arith.cmpi eq, %[[N]], %[[WHOLE]]
// CHECK:         scf.if %[[FREE]]
func.func @bounded(%to: memref<8xf32>, %n: index) {
  %in = memref.alloc() : memref<8xf32>
  %out = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%in : memref<8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  %part = memref.subview %out[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  %place = memref.subview %to[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  memref.copy %part, %place : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Something that reads memory after the operation and before the copy must not
// see what is stored.
// CHECK-LABEL: func.func @read_between(
// CHECK:         linalg.generic
// CHECK:         memref.load
// CHECK:         memref.copy
func.func @read_between(%to: memref<8xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %in = memref.alloc() : memref<8xf32>
  %out = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%in : memref<8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  %x = memref.load %to[%zero] : memref<8xf32>
  memref.copy %out, %to : memref<8xf32> to memref<8xf32>
  return %x : f32
}
