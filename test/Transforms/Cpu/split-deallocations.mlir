// RUN: triton-shared-opt %s --cpu-split-deallocations | FileCheck %s
// RUN: triton-shared-opt %s --cpu-split-deallocations=least=9 \
// RUN:   | FileCheck %s --check-prefix=FEW

// Buffers of two allocations, and what a branch gives, have an owner each; a
// view is what it shows.
// CHECK-LABEL: func.func @owners(
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         %[[B:.*]] = memref.alloc
// CHECK:         %[[VIEW:.*]] = memref.subview %[[A]]
// CHECK:         %[[IF:.*]]:2 = scf.if
// CHECK:         %[[BASE:[a-z_0-9]+]], {{.*}} = memref.extract_strided_metadata %[[IF]]#0
// CHECK:         bufferization.dealloc (%[[A]], %[[VIEW]] : {{.*}}) if (%arg0, %arg0)
// CHECK-NEXT:    bufferization.dealloc (%[[B]] : {{.*}}) if (%arg0)
// CHECK-NEXT:    bufferization.dealloc (%[[BASE]] : {{.*}}) if (%[[IF]]#1)
// FEW-LABEL: func.func @owners(
// FEW:         bufferization.dealloc
// FEW-NOT:     bufferization.dealloc
// FEW:         return
func.func @owners(%c: i1) {
  %false = arith.constant false
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %view = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %0:2 = scf.if %c -> (memref<4xf32>, i1) {
    %d = memref.alloc() : memref<4xf32>
    scf.yield %d, %c : memref<4xf32>, i1
  } else {
    scf.yield %a, %false : memref<4xf32>, i1
  }
  %base, %offset, %size, %stride = memref.extract_strided_metadata %0#0 : memref<4xf32> -> memref<f32>, index, index, index
  bufferization.dealloc (%a, %b, %view, %base : memref<4xf32>, memref<4xf32>, memref<2xf32, strided<[1]>>, memref<f32>) if (%c, %c, %c, %0#1)
  return
}

// Results of one operation may be one buffer.
// CHECK-LABEL: func.func @results(
// CHECK:         %[[IF:.*]]:3 = scf.if
// CHECK:         bufferization.dealloc (%[[IF]]#0, %[[IF]]#1 :
// CHECK-NEXT:    bufferization.dealloc (%{{.*}} : memref<4xf32>) if (%arg0)
func.func @results(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  %0:3 = scf.if %c -> (memref<4xf32>, memref<4xf32>, i1) {
    %d = memref.alloc() : memref<4xf32>
    scf.yield %d, %d, %c : memref<4xf32>, memref<4xf32>, i1
  } else {
    %d = memref.alloc() : memref<4xf32>
    scf.yield %d, %d, %c : memref<4xf32>, memref<4xf32>, i1
  }
  bufferization.dealloc (%0#0, %0#1, %a : memref<4xf32>, memref<4xf32>, memref<4xf32>) if (%0#2, %0#2, %c)
  return
}

// A buffer that lives on is owned by who gave it: one of them.
// CHECK-LABEL: func.func @retained(
// CHECK:         scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[OWNED:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = memref.alloc
// CHECK:           %[[X:.*]] = bufferization.dealloc (%[[OLD]] : {{.*}}) if (%[[OWNED]]) retain (%[[NEW]] :
// CHECK-NEXT:      %[[Y:.*]] = bufferization.dealloc (%[[NEW]] : {{.*}}) if (%arg0) retain (%[[NEW]] :
// CHECK-NEXT:      %[[EITHER:.*]] = arith.ori %[[X]], %[[Y]]
// CHECK-NEXT:      scf.yield %[[NEW]], %[[EITHER]]
func.func @retained(%c: i1, %n: index, %m: memref<4xf32>) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %m, %owned = %false) -> (memref<4xf32>, i1) {
    %new = memref.alloc() : memref<4xf32>
    %1 = bufferization.dealloc (%old, %new : memref<4xf32>, memref<4xf32>) if (%owned, %c) retain (%new : memref<4xf32>)
    scf.yield %new, %1 : memref<4xf32>, i1
  }
  return
}

// A buffer of unknown owner may be any of them.
// CHECK-LABEL: func.func @unknown(
// CHECK:         bufferization.dealloc (%{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>)
func.func @unknown(%c: i1, %m: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %either = arith.select %c, %a, %m : memref<4xf32>
  bufferization.dealloc (%a, %either : memref<4xf32>, memref<4xf32>) if (%c, %c)
  return
}
