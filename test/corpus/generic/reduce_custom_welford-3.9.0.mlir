"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "reduce_custom", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<16x32xf32>}> : () -> tensor<16x32xf32>
    %2 = "arith.constant"() <{value = 16 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<16x32xf32>}> : () -> tensor<16x32xf32>
    %4 = "arith.constant"() <{value = dense<32> : tensor<16x1xi32>}> : () -> tensor<16x1xi32>
    %5 = "arith.constant"() <{value = 32 : i32}> : () -> i32
    %6 = "tt.make_range"() <{end = 16 : i32, start = 0 : i32}> : () -> tensor<16xi32>
    %7 = "tt.expand_dims"(%6) <{axis = 1 : i32}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %8 = "arith.muli"(%7, %4) <{overflowFlags = #arith.overflow<none>}> : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi32>
    %9 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
    %10 = "tt.expand_dims"(%9) <{axis = 0 : i32}> : (tensor<32xi32>) -> tensor<1x32xi32>
    %11 = "tt.broadcast"(%8) : (tensor<16x1xi32>) -> tensor<16x32xi32>
    %12 = "tt.broadcast"(%10) : (tensor<1x32xi32>) -> tensor<16x32xi32>
    %13 = "arith.addi"(%11, %12) <{overflowFlags = #arith.overflow<none>}> : (tensor<16x32xi32>, tensor<16x32xi32>) -> tensor<16x32xi32>
    %14 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<16x32x!tt.ptr<f32>>
    %15 = "tt.addptr"(%14, %13) : (tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>) -> tensor<16x32x!tt.ptr<f32>>
    %16 = "tt.load"(%15) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<16x32x!tt.ptr<f32>>) -> tensor<16x32xf32>
    %17 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<16x!tt.ptr<f32>>
    %18 = "tt.addptr"(%17, %6) : (tensor<16x!tt.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<f32>>
    %19 = "tt.reduce"(%16) <{axis = 1 : i32}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      %40 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%40) : (f32) -> ()
    }) : (tensor<16x32xf32>) -> tensor<16xf32>
    "tt.store"(%18, %19) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> ()
    %20:3 = "tt.reduce"(%16, %1, %3) <{axis = 1 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32):
      %28 = "arith.subf"(%arg5, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %29 = "arith.addf"(%arg4, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %30 = "arith.cmpf"(%29, %0) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %31 = "arith.divf"(%arg7, %29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %32 = "arith.select"(%30, %0, %31) : (i1, f32, f32) -> f32
      %33 = "arith.mulf"(%28, %32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %34 = "arith.addf"(%arg2, %33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %35 = "arith.addf"(%arg3, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %36 = "arith.mulf"(%28, %28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %37 = "arith.mulf"(%36, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %38 = "arith.mulf"(%37, %32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %39 = "arith.addf"(%35, %38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%34, %39, %29) : (f32, f32, f32) -> ()
    }) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    %21 = "tt.addptr"(%arg1, %2) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %22 = "tt.splat"(%21) : (!tt.ptr<f32>) -> tensor<16x!tt.ptr<f32>>
    %23 = "tt.addptr"(%22, %6) : (tensor<16x!tt.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<f32>>
    "tt.store"(%23, %20#0) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> ()
    %24 = "tt.addptr"(%arg1, %5) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %25 = "tt.splat"(%24) : (!tt.ptr<f32>) -> tensor<16x!tt.ptr<f32>>
    %26 = "tt.addptr"(%25, %6) : (tensor<16x!tt.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<f32>>
    %27 = "arith.divf"(%20#1, %20#2) <{fastmath = #arith.fastmath<none>}> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    "tt.store"(%26, %27) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
