"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, i32) -> (), sym_name = "load_store_flags", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: i32):
    %0 = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = dense<1.500000e+00> : tensor<128xf32>}> : () -> tensor<128xf32>
    %2 = "arith.constant"() <{value = dense<0xFF800000> : tensor<128xf32>}> : () -> tensor<128xf32>
    %3 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<128xf32>}> : () -> tensor<128xf32>
    %4 = "arith.constant"() <{value = 128 : i32}> : () -> i32
    %5 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %6 = "arith.muli"(%5, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %7 = "tt.make_range"() <{end = 128 : i32, start = 0 : i32}> : () -> tensor<128xi32>
    %8 = "tt.splat"(%6) : (i32) -> tensor<128xi32>
    %9 = "arith.addi"(%8, %7) <{overflowFlags = #arith.overflow<none>}> : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi32>
    %10 = "tt.splat"(%arg2) : (i32) -> tensor<128xi32>
    %11 = "arith.cmpi"(%9, %10) <{predicate = 2 : i64}> : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %12 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %13 = "tt.addptr"(%12, %9) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    %14 = "tt.load"(%13, %11, %3) <{cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
    %15 = "tt.load"(%13, %11, %2) <{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
    %16 = "tt.load"(%13) <{isVolatile = true, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x!tt.ptr<f32>>) -> tensor<128xf32>
    %17 = "tt.load"(%13, %11, %1) <{cachePolicy = #tt.cache_policy<cache_modifier = cv, eviction_policy = evict_normal>, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
    %18 = "tt.load"(%arg0) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
    %19 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %20 = "tt.addptr"(%19, %9) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    %21 = "arith.addf"(%14, %15) <{fastmath = #arith.fastmath<none>}> : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %22 = "tt.splat"(%18) : (f32) -> tensor<128xf32>
    %23 = "arith.addf"(%21, %22) <{fastmath = #arith.fastmath<none>}> : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    "tt.store"(%20, %23, %11) <{cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_normal>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> ()
    %24 = "tt.addptr"(%arg1, %arg2) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %25 = "tt.splat"(%24) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %26 = "tt.addptr"(%25, %9) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    "tt.store"(%26, %16) <{cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_first>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> ()
    %27 = "arith.muli"(%arg2, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %28 = "tt.addptr"(%arg1, %27) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %29 = "tt.splat"(%28) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %30 = "tt.addptr"(%29, %9) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    "tt.store"(%30, %17, %11) <{cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>}> : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> ()
    "tt.store"(%arg1, %18) : (!tt.ptr<f32>, f32) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
