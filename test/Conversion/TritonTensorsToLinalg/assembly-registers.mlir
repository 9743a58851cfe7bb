// RUN: triton-shared-opt %s --triton-tensors-to-linalg | FileCheck %s

// Special registers that assembly reads: those that say which program this is
// are hidden parameters, the others what the machine holds at each read.

// CHECK-LABEL: func.func @program(
// CHECK-SAME:    %[[SIZE:arg[0-9]+]]: i32 {tts.parameter = "grid.x"}
// CHECK-SAME:    %[[Y:arg[0-9]+]]: i32 {tts.parameter = "program.y"}
// CHECK:         %[[SUM:.*]] = arith.addi %[[Y]], %[[SIZE]]
// CHECK:         return %[[SUM]]
tt.func public @program() -> i32 {
  %0 = tt.elementwise_inline_asm "add.u32 $0, %ctaid.y, %nctaid.x;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return %0 : i32
}

// A program is alone in its cluster.
// CHECK-LABEL: func.func @cluster(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         arith.addi %[[ZERO]], %[[ONE]]
tt.func public @cluster() -> i32 {
  %0 = tt.elementwise_inline_asm "add.u32 $0, %cluster_ctarank, %cluster_nctarank;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return %0 : i32
}

// Each read is one of its own, also of the same register.
// CHECK-LABEL: func.func @clock(
// CHECK:         %[[A:.*]] = tts.read_machine globaltimer : i64
// CHECK:         %[[B:.*]] = tts.read_machine globaltimer : i64
// CHECK:         arith.subi %[[B]], %[[A]]
tt.func public @clock() -> i64 {
  %0 = tt.elementwise_inline_asm "{ .reg .b64 t; mov.u64 t, %globaltimer; mov.u64 $0, %globaltimer; sub.u64 $0, $0, t; }" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.return %0 : i64
}

// Of a block, every element has what its thread reads; of a pack, every pack.
// CHECK-LABEL: func.func @blocks(
// CHECK:         tts.read_machine laneid : tensor<64xi32>
// CHECK:         tts.read_machine laneid : tensor<16xi32>
tt.func public @blocks(%x: tensor<64xi32>, %y: tensor<64xi8>) -> (tensor<64xi32>, tensor<64xi8>) {
  %0 = tt.elementwise_inline_asm "add.u32 $0, $1, %laneid;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %1 = tt.elementwise_inline_asm "add.u32 $0, $1, %laneid;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %y : tensor<64xi8> -> tensor<64xi8>
  tt.return %0, %1 : tensor<64xi32>, tensor<64xi8>
}
