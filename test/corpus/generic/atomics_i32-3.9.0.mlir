"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}], function_type = (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> (), sym_name = "atomics_int", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<i32>, %arg1: !tt.ptr<i32>, %arg2: i32):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = true}> : () -> i1
    %2 = "arith.constant"() <{value = dense<1> : tensor<64xi32>}> : () -> tensor<64xi32>
    %3 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %5 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %6 = "arith.muli"(%5, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %7 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %8 = "tt.splat"(%6) : (i32) -> tensor<64xi32>
    %9 = "arith.addi"(%8, %7) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %10 = "tt.splat"(%arg2) : (i32) -> tensor<64xi32>
    %11 = "arith.cmpi"(%9, %10) <{predicate = 2 : i64}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %12 = "tt.splat"(%arg1) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %13 = "tt.addptr"(%12, %9) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %14 = "tt.load"(%13, %11, %2) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>, tensor<64xi32>) -> tensor<64xi32>
    %15 = "tt.splat"(%arg0) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %16 = "tt.addptr"(%15, %9) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %17 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 4 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %18 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 7 : i32, scope = 1 : i32, sem = 1 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %19 = "arith.addi"(%17, %18) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %20 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 6 : i32, scope = 2 : i32, sem = 2 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %21 = "arith.addi"(%19, %20) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %22 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 1 : i32, scope = 3 : i32, sem = 3 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %23 = "arith.addi"(%21, %22) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %24 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 2 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %25 = "arith.addi"(%23, %24) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %26 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 3 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %27 = "arith.addi"(%25, %26) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %28 = "tt.atomic_rmw"(%16, %14, %11) <{atomic_rmw_op = 10 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
    %29 = "arith.addi"(%27, %28) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %30 = "tt.atomic_cas"(%16, %14, %29) <{scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %31 = "arith.addi"(%29, %30) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    "tt.store"(%13, %31, %11) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> ()
    %32 = "tt.atomic_rmw"(%arg0, %3, %1) <{atomic_rmw_op = 4 : i32, scope = 3 : i32, sem = 1 : i32}> : (!tt.ptr<i32>, i32, i1) -> i32
    %33 = "tt.load"(%arg1) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<i32>) -> i32
    %34 = "tt.atomic_cas"(%arg0, %0, %33) <{scope = 1 : i32, sem = 4 : i32}> : (!tt.ptr<i32>, i32, i32) -> i32
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
