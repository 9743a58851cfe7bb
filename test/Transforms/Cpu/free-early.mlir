// RUN: triton-shared-opt %s --cpu-free-early | FileCheck %s
// RUN: triton-shared-opt %s --cpu-free-early=least=9 | FileCheck %s --check-prefix=FEW

// A buffer is freed after its last use, also by a view or inside of something.
// CHECK-LABEL: func.func @uses(
// CHECK:         %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         memref.store %{{.*}}, %[[A]]
// CHECK:         scf.for
// CHECK:         }
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         memref.dealloc %[[B]]
// FEW-LABEL: func.func @uses(
// FEW:         memref.dealloc
// FEW-NEXT:    memref.dealloc
// FEW-NEXT:    return
func.func @uses(%x: f32, %i: index) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %view = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  memref.store %x, %a[%i] : memref<4xf32>
  scf.for %j = %i to %i step %c1 {
    memref.store %x, %view[%j] : memref<2xf32, strided<[1], offset: 1>>
  }
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%i] : memref<8xf32>
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// Whose address is known may be used anywhere.
// CHECK-LABEL: func.func @address(
// CHECK:         arith.addi
// CHECK-NEXT:    memref.dealloc
func.func @address(%i: index) -> index {
  %a = memref.alloc() : memref<4xf32>
  %address = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  %next = arith.addi %address, %i : index
  memref.dealloc %a : memref<4xf32>
  return %next : index
}
