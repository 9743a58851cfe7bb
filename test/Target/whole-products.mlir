// Where a kernel needs both halves of a product of 32 bits, a GPU multiplies once; one half alone has an instruction.

// RUN: triton-shared-opt %s --to-phase=ptx --target=cuda:90a --num-warps=1 | FileCheck %s

// CHECK-COUNT-3: mul.wide.u32 whole
// CHECK-NOT: mul.wide.u32 whole
// CHECK:     mul.hi.u32
// CHECK-NOT: mul.lo
// CHECK:     st.global

// A product of a block with a constant, one of two blocks, one of a lower half, and an upper half.
tt.func public @halves(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %at = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bases = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %ptrs = tt.addptr %bases, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %x = tt.load %ptrs : tensor<32x!tt.ptr<i32>>
  %factor = arith.constant dense<-845247145> : tensor<32xi32>
  %upper = tt.mulhiui %x, %factor : tensor<32xi32>
  %lower = arith.muli %x, %factor : tensor<32xi32>
  %mixed = arith.xori %upper, %lower : tensor<32xi32>
  %second_upper = tt.mulhiui %x, %mixed : tensor<32xi32>
  %second_lower = arith.muli %x, %mixed : tensor<32xi32>
  %more = arith.xori %second_upper, %second_lower : tensor<32xi32>
  %third_upper = tt.mulhiui %second_lower, %factor : tensor<32xi32>
  %third_lower = arith.muli %second_lower, %factor : tensor<32xi32>
  %third = arith.xori %third_upper, %third_lower : tensor<32xi32>
  %all = arith.xori %third, %more : tensor<32xi32>
  %last = tt.mulhiui %all, %x : tensor<32xi32>
  tt.store %ptrs, %last : tensor<32x!tt.ptr<i32>>
  tt.return
}
