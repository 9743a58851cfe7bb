"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}, {}, {}, {}, {}], function_type = (!tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f16>, i32, i32, i32, i32, i32, i32) -> (), sym_name = "blockptr_mm", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<f16>, %arg2: !tt.ptr<f16>, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32, %arg8: i32):
    %0 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf32>}> : () -> tensor<64x64xf32>
    %1 = "arith.constant"() <{value = 32 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %4 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %5 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %6 = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
    %7 = "arith.muli"(%5, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %8 = "arith.extsi"(%arg3) : (i32) -> i64
    %9 = "arith.extsi"(%arg5) : (i32) -> i64
    %10 = "arith.extsi"(%arg6) : (i32) -> i64
    %11 = "tt.make_tensor_ptr"(%arg0, %8, %9, %10, %3, %7, %2) <{order = array<i32: 1, 0>}> : (!tt.ptr<f16>, i64, i64, i64, i64, i32, i32) -> !tt.ptr<tensor<64x32xf16>>
    %12 = "arith.muli"(%6, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %13 = "arith.extsi"(%arg4) : (i32) -> i64
    %14 = "arith.extsi"(%arg7) : (i32) -> i64
    %15 = "tt.make_tensor_ptr"(%arg1, %9, %13, %14, %3, %2, %12) <{order = array<i32: 1, 0>}> : (!tt.ptr<f16>, i64, i64, i64, i64, i32, i32) -> !tt.ptr<tensor<32x64xf16>>
    %16:3 = "scf.for"(%2, %arg5, %1, %11, %15, %0) ({
    ^bb0(%arg9: i32, %arg10: !tt.ptr<tensor<64x32xf16>>, %arg11: !tt.ptr<tensor<32x64xf16>>, %arg12: tensor<64x64xf32>):
      %20 = "tt.load"(%arg10) <{boundaryCheck = array<i32: 0, 1>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>, padding = 1 : i32}> : (!tt.ptr<tensor<64x32xf16>>) -> tensor<64x32xf16>
      %21 = "tt.load"(%arg11) <{boundaryCheck = array<i32: 0>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>, padding = 2 : i32}> : (!tt.ptr<tensor<32x64xf16>>) -> tensor<32x64xf16>
      %22 = "tt.dot"(%20, %21, %arg12) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %23 = "tt.advance"(%arg10, %2, %1) : (!tt.ptr<tensor<64x32xf16>>, i32, i32) -> !tt.ptr<tensor<64x32xf16>>
      %24 = "tt.advance"(%arg11, %1, %2) : (!tt.ptr<tensor<32x64xf16>>, i32, i32) -> !tt.ptr<tensor<32x64xf16>>
      "scf.yield"(%23, %24, %22) : (!tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x64xf16>>, tensor<64x64xf32>) -> ()
    }) : (i32, i32, i32, !tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x64xf16>>, tensor<64x64xf32>) -> (!tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x64xf16>>, tensor<64x64xf32>)
    %17 = "arith.extsi"(%arg8) : (i32) -> i64
    %18 = "tt.make_tensor_ptr"(%arg2, %8, %13, %17, %3, %7, %12) <{order = array<i32: 1, 0>}> : (!tt.ptr<f16>, i64, i64, i64, i64, i32, i32) -> !tt.ptr<tensor<64x64xf16>>
    %19 = "arith.truncf"(%16#2) : (tensor<64x64xf32>) -> tensor<64x64xf16>
    "tt.store"(%18, %19) <{boundaryCheck = array<i32: 0, 1>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<tensor<64x64xf16>>, tensor<64x64xf16>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
