// RUN: triton-shared-opt %s --triton-tensors-to-linalg --split-input-file | FileCheck %s

// A pointer becomes an unranked memref, hints on arguments stay, and the grid
// and the place in it follow the arguments.
// CHECK-LABEL: func.func @signature(
// CHECK-SAME:    %{{.*}}: memref<*xf32> {tt.divisibility = 16 : i32}, %{{.*}}: i64,
// CHECK-SAME:    %{{.*}}: i32 {tts.parameter = "grid.x"}, %{{.*}}: i32 {tts.parameter = "grid.y"}, %{{.*}}: i32 {tts.parameter = "grid.z"},
// CHECK-SAME:    %{{.*}}: i32 {tts.parameter = "program.x"}, %{{.*}}: i32 {tts.parameter = "program.y"}, %{{.*}}: i32 {tts.parameter = "program.z"}) {
// CHECK-NEXT:    return
tt.func public @signature(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i64) attributes {noinline = false} {
  tt.return
}

// -----

// A bool lies in memory as a byte, a pointer as its address, and the address
// space of a constant pointer makes no difference.
// CHECK-LABEL: func.func @elements_in_memory(
// CHECK-SAME:    %{{.*}}: memref<*xi8>, %{{.*}}: memref<*xi64>, %{{.*}}: memref<*xf16>,
tt.func public @elements_in_memory(%b: !tt.ptr<i1>, %pp: !tt.ptr<!tt.ptr<f32>>, %c: !tt.ptr<f16, 4>) {
  tt.return
}

// -----

// Hidden parameters answer what a program asks about the grid.
// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[SIZE_Z:[^:]*]]: i32 {tts.parameter = "grid.z"}, %[[ID_X:[^:]*]]: i32 {tts.parameter = "program.x"}, %[[ID_Y:[^:]*]]: i32 {tts.parameter = "program.y"}
// CHECK:         %[[SUM:.*]] = arith.addi %[[SIZE_Z]], %[[ID_X]]
// CHECK:         arith.addi %[[SUM]], %[[ID_Y]]
tt.func public @grid(%p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i64
  %n = tt.get_num_programs z : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %a = arith.addi %n, %x : i32
  %b = arith.addi %a, %y : i32
  tts.store %b to %p[%zero] strides [] : i32, !tt.ptr<i32>
  tt.return
}

// -----

// Another element type at the same address goes through the address.
// CHECK-LABEL: func.func @pointer_bitcast(
// CHECK-SAME:    %[[P:[^:]*]]: memref<*xf32>
// CHECK:         %[[ADDRESS:.*]] = tts.to_address %[[P]] : memref<*xf32>
// CHECK:         %[[Q:.*]] = tts.from_address %[[ADDRESS]] : memref<*xi32>
// CHECK:         tts.load %[[Q]]{{.*}} : memref<*xi32> -> i32
tt.func public @pointer_bitcast(%p: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i64
  %q = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>
  %v = tts.load %q[%zero] strides [] : !tt.ptr<i32> -> i32
  tts.store %v to %q[%zero] strides [] : i32, !tt.ptr<i32>
  tt.return
}

// -----

// i1 and i8 lie in memory alike.
// CHECK-LABEL: func.func @bool_pointer_bitcast(
// CHECK-SAME:    %[[P:[^:]*]]: memref<*xi8>
// CHECK-NOT:     tts.to_address
// CHECK:         tts.load %[[P]]
tt.func public @bool_pointer_bitcast(%p: !tt.ptr<i1>, %out: !tt.ptr<i8>) {
  %zero = arith.constant 0 : i64
  %q = tt.bitcast %p : !tt.ptr<i1> -> !tt.ptr<i8>
  %v = tts.load %q[%zero] strides [] : !tt.ptr<i8> -> i8
  tts.store %v to %out[%zero] strides [] : i8, !tt.ptr<i8>
  tt.return
}

// -----

// Loops and branches may carry a base.
// CHECK-LABEL: func.func @carried_base(
// CHECK:         scf.if %{{.*}} -> (memref<*xf32>)
// CHECK:         scf.for {{.*}} -> (memref<*xf32>)
tt.func public @carried_base(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1, %n: i32) {
  %zero = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %s = scf.if %c -> !tt.ptr<f32> {
    scf.yield %p : !tt.ptr<f32>
  } else {
    scf.yield %q : !tt.ptr<f32>
  }
  %r = scf.for %i = %first to %n step %one iter_args(%b = %s) -> !tt.ptr<f32> : i32 {
    tts.store %v to %b[%zero] strides [] : f32, !tt.ptr<f32>
    scf.yield %q : !tt.ptr<f32>
  } {tt.num_stages = 2 : i32}
  tts.store %v to %r[%zero] strides [] : f32, !tt.ptr<f32>
  tt.return
}

// -----

// The elements of one program run in order: nothing to wait for. What was
// assumed has been read by the analyses.
// CHECK-LABEL: func.func @barriers(
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     ttg.barrier
// CHECK-NOT:     tt.grid_dependency
// CHECK-NOT:     llvm.intr.assume
// CHECK-NOT:     tt.elementwise_inline_asm
// CHECK:         return
tt.func public @barriers(%c: i1) {
  gpu.barrier
  ttg.barrier all
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  llvm.intr.assume %c : i1
  %0 = tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return
}

// -----

// Addresses are taken of memrefs.
// CHECK-LABEL: func.func @address(
// CHECK-SAME:    %[[P:[^:]*]]: memref<*xi8>
// CHECK:         %[[ADDRESS:.*]] = tts.to_address %[[P]] : memref<*xi8>
// CHECK:         tts.from_address %[[ADDRESS]] : memref<*xf32>
tt.func public @address(%p: !tt.ptr<i1>, %x: f32) {
  %zero = arith.constant 0 : i64
  %0 = tts.to_address %p : !tt.ptr<i1>
  %1 = tts.from_address %0 : !tt.ptr<f32>
  tts.store %x to %1[%zero] strides [] : f32, !tt.ptr<f32>
  tt.return
}
