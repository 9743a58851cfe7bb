"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}], function_type = (!tt.ptr<f16>, !tt.ptr<i32>, !tt.ptr<f16>, i32, i32) -> (), sym_name = "desc_gather", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<i32>, %arg2: !tt.ptr<f16>, %arg3: i32, %arg4: i32):
    %0 = "arith.constant"() <{value = 16 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %2 = "arith.extsi"(%arg4) : (i32) -> i64
    %3 = "tt.make_tensor_descriptor"(%arg0, %arg3, %arg4, %2, %1) <{padding = 1 : i32}> : (!tt.ptr<f16>, i32, i32, i64, i64) -> !tt.tensordesc<tensor<1x32xf16>>
    %4 = "tt.make_tensor_descriptor"(%arg2, %arg3, %arg4, %2, %1) <{padding = 1 : i32}> : (!tt.ptr<f16>, i32, i32, i64, i64) -> !tt.tensordesc<tensor<1x32xf16>>
    %5 = "tt.make_range"() <{end = 16 : i32, start = 0 : i32}> : () -> tensor<16xi32>
    %6 = "tt.splat"(%arg1) : (!tt.ptr<i32>) -> tensor<16x!tt.ptr<i32>>
    %7 = "tt.addptr"(%6, %5) : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<i32>>
    %8 = "tt.load"(%7) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<16x!tt.ptr<i32>>) -> tensor<16xi32>
    %9 = "tt.descriptor_gather"(%3, %8, %0) : (!tt.tensordesc<tensor<1x32xf16>>, tensor<16xi32>, i32) -> tensor<16x32xf16>
    "tt.descriptor_scatter"(%4, %8, %0, %9) : (!tt.tensordesc<tensor<1x32xf16>>, tensor<16xi32>, i32, tensor<16x32xf16>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
