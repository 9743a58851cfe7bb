// RUN: triton-shared-opt %s --explain-accesses=as=counts -o %t.mlir | FileCheck %s --check-prefix=COUNTS
// RUN: triton-shared-opt %s --explain-accesses=as=json -o %t.mlir | FileCheck %s --check-prefix=JSON
// RUN: triton-shared-opt %s --explain-accesses -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: FileCheck %s --check-prefix=MODULE < %t.mlir
// RUN: not triton-shared-opt %s --explain-accesses=as=prose -o %t.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// From TTIR, in one step: remarks, one line of counts per kernel, or a line of
// JSON per access and one of counts.

// COUNTS:      copy: 1 scalar, 1 strided, 1 gathered, 1 atomic
// COUNTS-NEXT: nothing:

// JSON:      {"access":"load","base":"arg0",{{.*}}"dimensions":[{"bounds":["0","n"],"size":8,"stride":"1"}]
// JSON-SAME: "kernel":"copy","kind":"strided","line":[[@LINE+23]],"offset":"0","shape":[8]}
// JSON-NEXT: "kind":"scalar"
// JSON-NEXT: "access":"store",{{.*}}"kind":"gathered","line":[[@LINE+26]]
// JSON-SAME: "way_out":"an offset with one term per dimension
// JSON-SAME: "why":{"column":{{[0-9]+}},"file":"{{.*}}explain-accesses.mlir","line":[[@LINE+22]],"reason":"multiplies two values that vary over the block"}
// JSON-NEXT: "access":"atomic"
// JSON-NEXT: {"counts":{"atomic":1,"broadcast":0,"gathered":1,"kernel":"copy","partly gathered":0,"scalar":1,"strided":1,"transposed":0,"wrapped":0}}
// JSON-NEXT: {"counts":{{.*}}"kernel":"nothing"

// REMARKS:     remark: strided load
// REMARKS:     remark: gathered store
// REMARKS-NOT: remark:

// MODULE: tts.gather

// UNKNOWN: Cannot find option named 'prose'

tt.func public @copy(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32 loc("n")) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %from = tt.addptr %ps, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %t = tt.load %from, %mask : tensor<8x!tt.ptr<f32>>
  %one = tt.load %q : !tt.ptr<f32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %square = arith.muli %i, %i : tensor<8xi32>
  %to = tt.addptr %qs, %square : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %t : tensor<8x!tt.ptr<f32>>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %q, %one : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

tt.func public @nothing() {
  tt.return
}
