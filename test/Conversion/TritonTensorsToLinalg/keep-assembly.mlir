// For a GPU, assembly that has no portable meaning stays what it is; any other is computed as everywhere.
// RUN: triton-shared-opt %s --triton-tensors-to-linalg=keep-assembly --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @one(
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: i32):
// CHECK:   %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK:   %[[R:.*]] = llvm.inline_asm has_side_effects "vote.sync.ballot.b32 $0, 1, -1; // $1", "=r,r" %[[BITS]] : (i32) -> i32
// CHECK:   linalg.yield %[[R]]
tt.func public @one(%x: tensor<8xf32>) -> tensor<8xi32> {
  %0 = tt.elementwise_inline_asm "vote.sync.ballot.b32 $0, 1, -1; // $1" {constraints = "=r,f", packed_element = 1 : i32, pure = false} %x : tensor<8xf32> -> tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}

// -----

// Two halves are one register; two results are two. A register that is wider than its element has zeros above.
// CHECK-LABEL: func.func @packs(
// CHECK: linalg.generic
// CHECK:   %[[WORD:.*]] = arith.ori %{{.*}}, %{{.*}} : i32
// CHECK:   %[[BYTES:.*]] = arith.extui %{{.*}} : i16 to i32
// CHECK:   %[[BOTH:.*]] = llvm.inline_asm "shfl $0 $1 $2 $3", "=r,=h,r,r" %[[WORD]], %[[BYTES]] : (i32, i32) -> !llvm.struct<(i32, i16)>
// CHECK:   llvm.extractvalue %[[BOTH]][0]
// CHECK:   llvm.extractvalue %[[BOTH]][1]
tt.func public @packs(%x: tensor<8xf16>, %y: tensor<8xi8>) -> (tensor<8xf16>, tensor<8xi8>) {
  %0:2 = tt.elementwise_inline_asm "shfl $0 $1 $2 $3" {constraints = "=r,=h,r,r", packed_element = 2 : i32, pure = true} %x, %y : tensor<8xf16>, tensor<8xi8> -> tensor<8xf16>, tensor<8xi8>
  tt.return %0#0, %0#1 : tensor<8xf16>, tensor<8xi8>
}

// -----

// CHECK-LABEL: func.func @portable(
// CHECK-NOT: llvm.inline_asm
// CHECK: arith.addi
tt.func public @portable(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}

// -----

tt.func public @misfit(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @below {{holds assembly that has a meaning on one kind of GPU only}}
  // expected-note @below {{"a result" does not fit the constraints}}
  // expected-note @below {{write it with}}
  %0 = tt.elementwise_inline_asm "vote $0, $1" {constraints = "=h,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi32> -> tensor<8xi32>
  tt.return %0 : tensor<8xi32>
}
