"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}], function_type = (!tt.ptr<i8>, !tt.ptr<i8>, !tt.ptr<i8>, !tt.ptr<i8>, !tt.ptr<f32>) -> (), sym_name = "mx_dot", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<i8>, %arg1: !tt.ptr<i8>, %arg2: !tt.ptr<i8>, %arg3: !tt.ptr<i8>, %arg4: !tt.ptr<f32>):
    %0 = "arith.constant"() <{value = dense<64> : tensor<128x1xi32>}> : () -> tensor<128x1xi32>
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<128x64xf32>}> : () -> tensor<128x64xf32>
    %2 = "arith.constant"() <{value = dense<2> : tensor<64x1xi32>}> : () -> tensor<64x1xi32>
    %3 = "arith.constant"() <{value = dense<2> : tensor<128x1xi32>}> : () -> tensor<128x1xi32>
    %4 = "arith.constant"() <{value = dense<64> : tensor<32x1xi32>}> : () -> tensor<32x1xi32>
    %5 = "arith.constant"() <{value = dense<32> : tensor<128x1xi32>}> : () -> tensor<128x1xi32>
    %6 = "tt.make_range"() <{end = 128 : i32, start = 0 : i32}> : () -> tensor<128xi32>
    %7 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %8 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
    %9 = "tt.make_range"() <{end = 2 : i32, start = 0 : i32}> : () -> tensor<2xi32>
    %10 = "tt.expand_dims"(%6) <{axis = 1 : i32}> : (tensor<128xi32>) -> tensor<128x1xi32>
    %11 = "arith.muli"(%10, %5) <{overflowFlags = #arith.overflow<none>}> : (tensor<128x1xi32>, tensor<128x1xi32>) -> tensor<128x1xi32>
    %12 = "tt.splat"(%arg0) : (!tt.ptr<i8>) -> tensor<128x1x!tt.ptr<i8>>
    %13 = "tt.addptr"(%12, %11) : (tensor<128x1x!tt.ptr<i8>>, tensor<128x1xi32>) -> tensor<128x1x!tt.ptr<i8>>
    %14 = "tt.expand_dims"(%8) <{axis = 0 : i32}> : (tensor<32xi32>) -> tensor<1x32xi32>
    %15 = "tt.broadcast"(%13) : (tensor<128x1x!tt.ptr<i8>>) -> tensor<128x32x!tt.ptr<i8>>
    %16 = "tt.broadcast"(%14) : (tensor<1x32xi32>) -> tensor<128x32xi32>
    %17 = "tt.addptr"(%15, %16) : (tensor<128x32x!tt.ptr<i8>>, tensor<128x32xi32>) -> tensor<128x32x!tt.ptr<i8>>
    %18 = "tt.load"(%17) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x32x!tt.ptr<i8>>) -> tensor<128x32xi8>
    %19 = "tt.expand_dims"(%8) <{axis = 1 : i32}> : (tensor<32xi32>) -> tensor<32x1xi32>
    %20 = "arith.muli"(%19, %4) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi32>
    %21 = "tt.splat"(%arg2) : (!tt.ptr<i8>) -> tensor<32x1x!tt.ptr<i8>>
    %22 = "tt.addptr"(%21, %20) : (tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>) -> tensor<32x1x!tt.ptr<i8>>
    %23 = "tt.expand_dims"(%7) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
    %24 = "tt.broadcast"(%22) : (tensor<32x1x!tt.ptr<i8>>) -> tensor<32x64x!tt.ptr<i8>>
    %25 = "tt.broadcast"(%23) : (tensor<1x64xi32>) -> tensor<32x64xi32>
    %26 = "tt.addptr"(%24, %25) : (tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>) -> tensor<32x64x!tt.ptr<i8>>
    %27 = "tt.load"(%26) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x64x!tt.ptr<i8>>) -> tensor<32x64xi8>
    %28 = "arith.muli"(%10, %3) <{overflowFlags = #arith.overflow<none>}> : (tensor<128x1xi32>, tensor<128x1xi32>) -> tensor<128x1xi32>
    %29 = "tt.splat"(%arg1) : (!tt.ptr<i8>) -> tensor<128x1x!tt.ptr<i8>>
    %30 = "tt.addptr"(%29, %28) : (tensor<128x1x!tt.ptr<i8>>, tensor<128x1xi32>) -> tensor<128x1x!tt.ptr<i8>>
    %31 = "tt.expand_dims"(%9) <{axis = 0 : i32}> : (tensor<2xi32>) -> tensor<1x2xi32>
    %32 = "tt.broadcast"(%30) : (tensor<128x1x!tt.ptr<i8>>) -> tensor<128x2x!tt.ptr<i8>>
    %33 = "tt.broadcast"(%31) : (tensor<1x2xi32>) -> tensor<128x2xi32>
    %34 = "tt.addptr"(%32, %33) : (tensor<128x2x!tt.ptr<i8>>, tensor<128x2xi32>) -> tensor<128x2x!tt.ptr<i8>>
    %35 = "tt.load"(%34) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x2x!tt.ptr<i8>>) -> tensor<128x2xi8>
    %36 = "tt.expand_dims"(%7) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %37 = "arith.muli"(%36, %2) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x1xi32>
    %38 = "tt.splat"(%arg3) : (!tt.ptr<i8>) -> tensor<64x1x!tt.ptr<i8>>
    %39 = "tt.addptr"(%38, %37) : (tensor<64x1x!tt.ptr<i8>>, tensor<64x1xi32>) -> tensor<64x1x!tt.ptr<i8>>
    %40 = "tt.broadcast"(%39) : (tensor<64x1x!tt.ptr<i8>>) -> tensor<64x2x!tt.ptr<i8>>
    %41 = "tt.broadcast"(%31) : (tensor<1x2xi32>) -> tensor<64x2xi32>
    %42 = "tt.addptr"(%40, %41) : (tensor<64x2x!tt.ptr<i8>>, tensor<64x2xi32>) -> tensor<64x2x!tt.ptr<i8>>
    %43 = "tt.load"(%42) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x2x!tt.ptr<i8>>) -> tensor<64x2xi8>
    %44 = "tt.dot_scaled"(%18, %27, %1, %35, %43) <{a_elem_type = 4 : i32, b_elem_type = 4 : i32, fastMath = false, lhs_k_pack = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>, rhs_k_pack = true}> : (tensor<128x32xi8>, tensor<32x64xi8>, tensor<128x64xf32>, tensor<128x2xi8>, tensor<64x2xi8>) -> tensor<128x64xf32>
    %45 = "tt.dot_scaled"(%18, %27, %44, %35) <{a_elem_type = 4 : i32, b_elem_type = 4 : i32, fastMath = true, lhs_k_pack = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, rhs_k_pack = true}> : (tensor<128x32xi8>, tensor<32x64xi8>, tensor<128x64xf32>, tensor<128x2xi8>) -> tensor<128x64xf32>
    %46 = "arith.muli"(%10, %0) <{overflowFlags = #arith.overflow<none>}> : (tensor<128x1xi32>, tensor<128x1xi32>) -> tensor<128x1xi32>
    %47 = "tt.splat"(%arg4) : (!tt.ptr<f32>) -> tensor<128x1x!tt.ptr<f32>>
    %48 = "tt.addptr"(%47, %46) : (tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>) -> tensor<128x1x!tt.ptr<f32>>
    %49 = "tt.broadcast"(%48) : (tensor<128x1x!tt.ptr<f32>>) -> tensor<128x64x!tt.ptr<f32>>
    %50 = "tt.broadcast"(%23) : (tensor<1x64xi32>) -> tensor<128x64xi32>
    %51 = "tt.addptr"(%49, %50) : (tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>) -> tensor<128x64x!tt.ptr<f32>>
    "tt.store"(%51, %45) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<128x64x!tt.ptr<f32>>, tensor<128x64xf32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
