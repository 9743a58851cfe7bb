// RUN: triton-shared-opt %s --cpu-wrap-program-loop | FileCheck %s

// The entry reads the arguments, then runs a range of programs, x fastest.
// CHECK-LABEL: func.func @kernel.entry(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[X:.*]]: i32 {tts.parameter = "grid.x"},
// CHECK-SAME:    %[[Y:.*]]: i32 {tts.parameter = "grid.y"}, %[[Z:.*]]: i32 {tts.parameter = "grid.z"},
// CHECK-SAME:    %[[FIRST:.*]]: i64 {tts.parameter = "programs.first"}, %[[COUNT:.*]]: i64 {tts.parameter = "programs.count"},
// CHECK-SAME:    %[[RUNNING:.*]]: !llvm.ptr {tts.parameter = "programs.running"})
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK:         %[[PLACE:.*]] = llvm.load %[[SLOT]]
// CHECK:         %[[P:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.getelementptr %[[ARGS]][1]
// CHECK:         %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK:         %[[B:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK:         %[[END:.*]] = arith.addi %[[FIRST]], %[[COUNT]]
// CHECK:         %[[WIDE:.*]] = arith.extui %[[X]]
// CHECK:         %[[GX:.*]] = arith.maxui %[[WIDE]]
// CHECK:         arith.remui %[[FIRST]], %[[GX]]
// CHECK:         %[[REST:.*]] = arith.divui %[[FIRST]], %[[GX]]
// CHECK:         arith.remui %[[REST]]
// CHECK:         scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[END]] step {{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[J:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}})
// CHECK-NEXT:      llvm.store volatile %[[NUMBER]], %[[RUNNING]]
// CHECK-NEXT:      func.call @kernel(%[[P]], %[[B]], %[[X]], %[[Y]], %[[Z]], %[[I]], %[[J]], %[[K]])
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK:           %[[IS_END:.*]] = arith.cmpi eq, %[[NEXT]], %[[X]]
// CHECK:           %[[NEW_I:.*]] = arith.select %[[IS_END]], %{{.*}}, %[[NEXT]]
// CHECK:           %[[CARRY:.*]] = arith.extui %[[IS_END]]
// CHECK:           arith.addi %[[J]], %[[CARRY]]
// CHECK:           scf.yield %[[NEW_I]],

// The kernel takes a pointer, which is the base of its memrefs.
// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %{{.*}}: i1, %{{.*}}: i32 {tts.parameter = "grid.x"}
// CHECK-SAME:    %{{.*}}: i32 {tts.parameter = "program.z"})
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK:         %[[BASE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xf32>
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [5]
func.func @kernel(%p: memref<*xf32>, %b: i1, %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  %0 = memref.reinterpret_cast %p to offset: [5], sizes: [1], strides: [1]
         : memref<*xf32> to memref<1xf32, strided<[1], offset: 5>>
  return
}
