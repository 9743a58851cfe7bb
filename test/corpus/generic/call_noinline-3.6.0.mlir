"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, f32) -> (), sym_name = "calls", sym_visibility = "public"}> ({
  ^bb0(%arg5: !tt.ptr<f32>, %arg6: !tt.ptr<f32>, %arg7: f32):
    %11 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %12 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %13:2 = "tt.call"(%arg5, %12, %arg7) <{callee = @kernels.noinline_scale__Pfp32_i32_fp32__}> : (!tt.ptr<f32>, i32, f32) -> (f32, f32)
    %14:2 = "tt.call"(%arg5, %arg7) <{callee = @"kernels.noinline_scale__Pfp32_fp32__(1,)cconstexpr_3_"}> : (!tt.ptr<f32>, f32) -> (f32, f32)
    %15 = "tt.splat"(%arg6) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
    %16 = "tt.addptr"(%15, %11) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
    %17 = "arith.addf"(%13#0, %13#1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %18 = "arith.addf"(%17, %14#0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %19 = "tt.splat"(%18) : (f32) -> tensor<64xf32>
    "tt.store"(%16, %19) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
  "tt.func"() <{function_type = (!tt.ptr<f32>, i32, f32) -> (f32, f32), sym_name = "kernels.noinline_scale__Pfp32_i32_fp32__", sym_visibility = "private"}> ({
  ^bb0(%arg2: !tt.ptr<f32>, %arg3: i32, %arg4: f32):
    %6 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %7 = "tt.addptr"(%arg2, %arg3) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %8 = "tt.load"(%7) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
    %9 = "arith.mulf"(%8, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %10 = "arith.addf"(%9, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "tt.return"(%9, %10) : (f32, f32) -> ()
  }) {noinline = true} : () -> ()
  "tt.func"() <{function_type = (!tt.ptr<f32>, f32) -> (f32, f32), sym_name = "kernels.noinline_scale__Pfp32_fp32__(1,)cconstexpr_3_", sym_visibility = "private"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: f32):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %2 = "tt.addptr"(%arg0, %1) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %3 = "tt.load"(%2) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
    %4 = "arith.mulf"(%3, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %5 = "arith.addf"(%4, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "tt.return"(%4, %5) : (f32, f32) -> ()
  }) {noinline = true} : () -> ()
}) {} : () -> ()
