"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {}], function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "dbg", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: i32):
    %0 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<32xf32>}> : () -> tensor<32xf32>
    %1 = "arith.constant"() <{value = 1000 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
    %4 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<32x!tt.ptr<f32>>
    %5 = "tt.addptr"(%4, %3) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
    %6 = "tt.load"(%5) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x!tt.ptr<f32>>) -> tensor<32xf32>
    "tt.print"(%6, %arg1) <{hex = false, isSigned = array<i32: 0, 1>, prefix = " values: "}> : (tensor<32xf32>, i32) -> ()
    "tt.print"(%3) <{hex = true, isSigned = array<i32: 1>, prefix = " hexed: "}> : (tensor<32xi32>) -> ()
    "tt.print"() <{hex = false, isSigned = array<i32>, prefix = " only text"}> : () -> ()
    %7 = "arith.cmpf"(%6, %0) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
    "tt.assert"(%7) <{message = "must be positive"}> : (tensor<32xi1>) -> ()
    %8 = "arith.cmpi"(%arg1, %2) <{predicate = 4 : i64}> : (i32, i32) -> i1
    "tt.assert"(%8) <{message = "n"}> : (i1) -> ()
    %9 = "arith.cmpi"(%arg1, %1) <{predicate = 2 : i64}> : (i32, i32) -> i1
    "tt.assert"(%9) <{message = "plain assert"}> : (i1) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
