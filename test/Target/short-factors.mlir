// Distances that are arguments of 32 bits are multiplied with numbers of programs by one instruction, with numbers of blocks too.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 --split-input-file | FileCheck %s

// CHECK-LABEL: .entry rows(
// CHECK-COUNT-2: mul.wide.s32
// CHECK-NOT: mul.lo.s64
// CHECK: st.global
tt.func public @rows(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %row: i32, %plane: i32) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %eight = arith.constant 8 : i32
  %first = arith.muli %x, %eight : i32
  %a = arith.muli %first, %row : i32
  %b = arith.muli %y, %plane : i32
  %pa = tt.addptr %p, %a : !tt.ptr<i32>, i32
  %pb = tt.addptr %pa, %b : !tt.ptr<i32>, i32
  %bases = tt.splat %pb : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %at = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ptrs = tt.addptr %bases, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %ptrs, %at : tensor<32x!tt.ptr<i32>>
  tt.return
}

// -----

// What has 64 bits keeps them.
// CHECK-LABEL: .entry wide(
// CHECK: mul.lo.s64
tt.func public @wide(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %row: i64) {
  %x = tt.get_program_id x : i32
  %wide = arith.extsi %x : i32 to i64
  %a = arith.muli %wide, %row : i64
  %pa = tt.addptr %p, %a : !tt.ptr<i32>, i64
  %one = arith.constant 1 : i32
  tt.store %pa, %one : !tt.ptr<i32>
  tt.return
}
