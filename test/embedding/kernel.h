//===- kernel.h - The kernel that the consumers lower -----------*- C++ -*-===//

inline constexpr char kernel[] = R"(
tt.func @double(%p: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %b, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %x = tt.load %q : tensor<8x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.store %q, %y : tensor<8x!tt.ptr<f32>>
  tt.return
})";
