"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<i32>) -> (), sym_name = "dot_variants", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: !tt.ptr<i32>):
    %0 = "arith.constant"() <{value = dense<0> : tensor<32x32xi32>}> : () -> tensor<32x32xi32>
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<32x32xf16>}> : () -> tensor<32x32xf16>
    %2 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
    %3 = "arith.constant"() <{value = dense<32> : tensor<32x1xi32>}> : () -> tensor<32x1xi32>
    %4 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
    %5 = "tt.expand_dims"(%4) <{axis = 1 : i32}> : (tensor<32xi32>) -> tensor<32x1xi32>
    %6 = "arith.muli"(%5, %3) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi32>
    %7 = "tt.expand_dims"(%4) <{axis = 0 : i32}> : (tensor<32xi32>) -> tensor<1x32xi32>
    %8 = "tt.broadcast"(%6) : (tensor<32x1xi32>) -> tensor<32x32xi32>
    %9 = "tt.broadcast"(%7) : (tensor<1x32xi32>) -> tensor<32x32xi32>
    %10 = "arith.addi"(%8, %9) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi32>
    %11 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<32x32x!tt.ptr<f32>>
    %12 = "tt.addptr"(%11, %10) : (tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>) -> tensor<32x32x!tt.ptr<f32>>
    %13 = "tt.load"(%12) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32xf32>
    %14 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<32x32x!tt.ptr<f32>>
    %15 = "tt.addptr"(%14, %10) : (tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>) -> tensor<32x32x!tt.ptr<f32>>
    %16 = "tt.load"(%15) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32xf32>
    %17 = "tt.dot"(%13, %16, %2) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %18 = "tt.dot"(%13, %16, %2) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %19 = "arith.addf"(%17, %18) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %20 = "tt.dot"(%13, %16, %2) <{inputPrecision = 1 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %21 = "arith.addf"(%19, %20) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %22 = "tt.dot"(%13, %16, %2) <{inputPrecision = 3 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %23 = "tt.dot"(%13, %16, %2) <{inputPrecision = 4 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %24 = "arith.addf"(%22, %23) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %25 = "tt.trans"(%16) <{order = array<i32: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %26 = "tt.dot"(%13, %25, %2) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %27 = "arith.addf"(%24, %26) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %28 = "arith.addf"(%21, %27) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %29 = "arith.truncf"(%13) : (tensor<32x32xf32>) -> tensor<32x32xf16>
    %30 = "arith.truncf"(%16) : (tensor<32x32xf32>) -> tensor<32x32xf16>
    %31 = "tt.dot"(%29, %30, %1) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
    %32 = "tt.splat"(%arg2) : (!tt.ptr<f32>) -> tensor<32x32x!tt.ptr<f32>>
    %33 = "tt.addptr"(%32, %10) : (tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>) -> tensor<32x32x!tt.ptr<f32>>
    %34 = "arith.extf"(%31) : (tensor<32x32xf16>) -> tensor<32x32xf32>
    %35 = "arith.addf"(%28, %34) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    "tt.store"(%33, %35) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) -> ()
    %36 = "arith.fptosi"(%13) : (tensor<32x32xf32>) -> tensor<32x32xi8>
    %37 = "arith.fptosi"(%16) : (tensor<32x32xf32>) -> tensor<32x32xi8>
    %38 = "tt.dot"(%36, %37, %0) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>) -> tensor<32x32xi32>
    %39 = "tt.splat"(%arg3) : (!tt.ptr<i32>) -> tensor<32x32x!tt.ptr<i32>>
    %40 = "tt.addptr"(%39, %10) : (tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>) -> tensor<32x32x!tt.ptr<i32>>
    "tt.store"(%40, %38) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
