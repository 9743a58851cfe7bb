"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}], function_type = (!tt.ptr<i32>, !tt.ptr<i32>) -> (), sym_name = "atomic_ldst", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<i32>, %arg1: !tt.ptr<i32>):
    %0 = "arith.constant"() <{value = 1000 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = dense<40> : tensor<64xi32>}> : () -> tensor<64xi32>
    %4 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %5 = "arith.cmpi"(%4, %3) <{predicate = 2 : i64}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %6 = "tt.splat"(%arg0) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %7 = "tt.addptr"(%6, %4) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %8 = "tt.atomic_load"(%7, %5) <{scope = 3 : i32, sem = 2 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>) -> tensor<64xi32>
    %9 = "tt.splat"(%arg1) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %10 = "tt.addptr"(%9, %4) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    "tt.atomic_store"(%10, %8, %5) <{scope = 1 : i32, sem = 3 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> ()
    %11 = "tt.atomic_poll"(%arg0, %2, %0) <{scope = 1 : i32, sem = 2 : i32}> : (!tt.ptr<i32>, i32, i64) -> i1
    %12 = "arith.extui"(%11) : (i1) -> i32
    "tt.store"(%arg1, %12) : (!tt.ptr<i32>, i32) -> ()
    %13 = "tt.atomic_poll"(%arg0, %1) <{scope = 2 : i32, sem = 1 : i32}> : (!tt.ptr<i32>, i32) -> i1
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
