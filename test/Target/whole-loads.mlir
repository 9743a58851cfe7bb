// A row that is written from the back to the front and read at once: LLVM would put its parts together before the last one is there.

// RUN: triton-shared-opt %s --mode=fast --target=cpu:x86-64-v4 --to-phase=obj -o /dev/null
// RUN: triton-shared-opt %s --mode=fast --target=cpu:x86-64-v3 --to-phase=obj -o /dev/null

tt.func public @products(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %x : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %from = tt.addptr %base, %at : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  %v = tt.load %from : tensor<64x!tt.ptr<i8>>
  %product = "tt.scan"(%v) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i8, %b: i8):
    %c = arith.muli %a, %b : i8
    tt.scan.return %c : i8
  }) : (tensor<64xi8>) -> tensor<64xi8>
  %to = tt.splat %out : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %place = tt.addptr %to, %at : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  tt.store %place, %product : tensor<64x!tt.ptr<i8>>
  tt.return
}
