// Every third element, from the fifth on: an access with a stride, not a gather.
tt.func @thirds(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %at = own.stride %i {step = 3, start = 5} : tensor<8xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %from = tt.addptr %b, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %x = tt.load %from : tensor<8x!tt.ptr<f32>>
  %c = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %to = tt.addptr %c, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %x : tensor<8x!tt.ptr<f32>>
  tt.return
}
