// What another compiler does itself is left to it.

// RUN: triton-shared-opt %s --triton-tensors-to-linalg=keep-program-ids | FileCheck %s --check-prefixes=IDS
// RUN: triton-shared-opt %s --triton-tensors-to-linalg=keep-functions | FileCheck %s --check-prefixes=FUNCTIONS
// RUN: triton-shared-opt %s "--triton-tensors-to-linalg=keep-functions keep-program-ids" | FileCheck %s --check-prefixes=BOTH
// RUN: triton-shared-opt %s --triton-tensors-to-linalg=asserts-to-cf | FileCheck %s --check-prefixes=ASSERTS

// Program ids stay, and no arguments come behind the kernel's own.
// IDS-LABEL:  func.func @kernel(%{{[^:]*}}: memref<*xf32> {tt.divisibility = 16 : i32}, %{{[^:]*}}: i32 {tts.size}) {
// IDS:          tt.get_program_id x
// IDS:          tt.get_num_programs x
// IDS:          tts.assert
// IDS:          return

// A function of Triton gets memrefs and the arguments behind its own; it may have attributes on them.
// FUNCTIONS-LABEL: tt.func public @kernel(
// FUNCTIONS-SAME:    %{{[^:]*}}: memref<*xf32> {tt.divisibility = 16 : i32}, %{{[^:]*}}: i32 {tts.size}, %[[G:[^:]*]]: i32 {tts.parameter = "grid.x"}
// FUNCTIONS-SAME:    %[[P:[^:]*]]: i32 {tts.parameter = "program.x"}
// FUNCTIONS:         arith.addi %[[P]], %[[G]]
// FUNCTIONS:         tt.return

// BOTH-LABEL: tt.func public @kernel(%{{.*}}: memref<*xf32> {tt.divisibility = 16 : i32}, %{{.*}}: i32 {tts.size}) {
// BOTH:         tt.get_program_id x
// BOTH:         tt.return

// An assert of a block asks for each element; a size that must not be negative is one, too.
// ASSERTS-LABEL: func.func @kernel(
// ASSERTS-SAME:    %{{[^:]*}}: memref<*xf32> {{.*}}, %[[N:[^:]*]]: i32,
// ASSERTS:         %[[HOLDS:.*]] = arith.cmpi sge, %[[N]]
// ASSERTS:         cf.assert %[[HOLDS]], "an index is divided by a negative number
// ASSERTS:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8xi1>) {
// ASSERTS:         ^bb0(%[[ELEMENT:[^:,]*]]: i1):
// ASSERTS:           cf.assert %[[ELEMENT]], "small"
// ASSERTS:         cf.assert %{{.*}}, "one"
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tts.size}) {
  %id = tt.get_program_id x : i32
  %count = tt.get_num_programs x : i32
  %sum = arith.addi %id, %count : i32
  %sums = tt.splat %sum : i32 -> tensor<8xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %holds = arith.cmpi slt, %i, %sums : tensor<8xi32>
  tt.assert %holds, "small" : tensor<8xi1>
  %is = arith.cmpi slt, %id, %n : i32
  tt.assert %is, "one" : i1
  tt.return
}
