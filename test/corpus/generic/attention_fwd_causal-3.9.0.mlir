"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}, {}, {}, {}], function_type = (!tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f16>, !tt.ptr<f32>, f32, i32, i32, i32, i32) -> (), sym_name = "flash_fwd", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<f16>, %arg2: !tt.ptr<f16>, %arg3: !tt.ptr<f16>, %arg4: !tt.ptr<f32>, %arg5: f32, %arg6: i32, %arg7: i32, %arg8: i32, %arg9: i32):
    %0 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf32>}> : () -> tensor<64x64xf32>
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64xf32>}> : () -> tensor<64xf32>
    %2 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<32x64xf16>}> : () -> tensor<32x64xf16>
    %3 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x32xf16>}> : () -> tensor<64x32xf16>
    %4 = "arith.constant"() <{value = 32 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %6 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf16>}> : () -> tensor<64x64xf16>
    %7 = "arith.constant"() <{value = dense<0xFF800000> : tensor<64x32xf32>}> : () -> tensor<64x32xf32>
    %8 = "arith.constant"() <{value = 1.44269502 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x32xf32>}> : () -> tensor<64x32xf32>
    %10 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %11 = "arith.constant"() <{value = dense<0xFF800000> : tensor<64xf32>}> : () -> tensor<64xf32>
    %12 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %13 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %14 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %15 = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
    %16 = "arith.divsi"(%15, %13) : (i32, i32) -> i32
    %17 = "arith.remsi"(%15, %13) : (i32, i32) -> i32
    %18 = "arith.extsi"(%16) : (i32) -> i64
    %19 = "arith.extsi"(%arg6) : (i32) -> i64
    %20 = "arith.muli"(%18, %19) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
    %21 = "arith.extsi"(%17) : (i32) -> i64
    %22 = "arith.extsi"(%arg7) : (i32) -> i64
    %23 = "arith.muli"(%21, %22) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
    %24 = "arith.addi"(%20, %23) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
    %25 = "arith.muli"(%14, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %26 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %27 = "tt.splat"(%25) : (i32) -> tensor<64xi32>
    %28 = "arith.addi"(%27, %26) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %29 = "tt.expand_dims"(%28) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %30 = "tt.splat"(%arg9) : (i32) -> tensor<64x1xi32>
    %31 = "arith.cmpi"(%29, %30) <{predicate = 2 : i64}> : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x1xi1>
    %32 = "tt.addptr"(%arg0, %24) : (!tt.ptr<f16>, i64) -> !tt.ptr<f16>
    %33 = "tt.splat"(%arg8) : (i32) -> tensor<64x1xi32>
    %34 = "arith.muli"(%29, %33) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x1xi32>
    %35 = "tt.splat"(%32) : (!tt.ptr<f16>) -> tensor<64x1x!tt.ptr<f16>>
    %36 = "tt.addptr"(%35, %34) : (tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>) -> tensor<64x1x!tt.ptr<f16>>
    %37 = "tt.expand_dims"(%26) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
    %38 = "tt.broadcast"(%36) : (tensor<64x1x!tt.ptr<f16>>) -> tensor<64x64x!tt.ptr<f16>>
    %39 = "tt.broadcast"(%37) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %40 = "tt.addptr"(%38, %39) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
    %41 = "tt.broadcast"(%31) : (tensor<64x1xi1>) -> tensor<64x64xi1>
    %42 = "tt.load"(%40, %41, %6) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi1>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %43 = "arith.addi"(%14, %10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %44 = "arith.muli"(%43, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %45 = "arith.minsi"(%44, %arg9) : (i32, i32) -> i32
    %46:3 = "scf.for"(%5, %45, %4, %11, %1, %0) ({
    ^bb0(%arg10: i32, %arg11: tensor<64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64x64xf32>):
      %64 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
      %65 = "tt.splat"(%arg10) : (i32) -> tensor<32xi32>
      %66 = "arith.addi"(%65, %64) <{overflowFlags = #arith.overflow<none>}> : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
      %67 = "tt.expand_dims"(%66) <{axis = 0 : i32}> : (tensor<32xi32>) -> tensor<1x32xi32>
      %68 = "tt.splat"(%arg9) : (i32) -> tensor<1x32xi32>
      %69 = "arith.cmpi"(%67, %68) <{predicate = 2 : i64}> : (tensor<1x32xi32>, tensor<1x32xi32>) -> tensor<1x32xi1>
      %70 = "tt.addptr"(%arg1, %24) : (!tt.ptr<f16>, i64) -> !tt.ptr<f16>
      %71 = "tt.splat"(%arg8) : (i32) -> tensor<1x32xi32>
      %72 = "arith.muli"(%67, %71) <{overflowFlags = #arith.overflow<none>}> : (tensor<1x32xi32>, tensor<1x32xi32>) -> tensor<1x32xi32>
      %73 = "tt.splat"(%70) : (!tt.ptr<f16>) -> tensor<1x32x!tt.ptr<f16>>
      %74 = "tt.addptr"(%73, %72) : (tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>) -> tensor<1x32x!tt.ptr<f16>>
      %75 = "tt.expand_dims"(%26) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
      %76 = "tt.broadcast"(%74) : (tensor<1x32x!tt.ptr<f16>>) -> tensor<64x32x!tt.ptr<f16>>
      %77 = "tt.broadcast"(%75) : (tensor<64x1xi32>) -> tensor<64x32xi32>
      %78 = "tt.addptr"(%76, %77) : (tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>) -> tensor<64x32x!tt.ptr<f16>>
      %79 = "tt.broadcast"(%69) : (tensor<1x32xi1>) -> tensor<64x32xi1>
      %80 = "tt.load"(%78, %79, %3) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi1>, tensor<64x32xf16>) -> tensor<64x32xf16>
      %81 = "tt.dot"(%42, %80, %9) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %82 = "arith.mulf"(%arg5, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %83 = "tt.splat"(%82) : (f32) -> tensor<64x32xf32>
      %84 = "arith.mulf"(%81, %83) <{fastmath = #arith.fastmath<none>}> : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %85 = "arith.select"(%79, %84, %7) : (tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %86 = "tt.broadcast"(%29) : (tensor<64x1xi32>) -> tensor<64x32xi32>
      %87 = "tt.broadcast"(%67) : (tensor<1x32xi32>) -> tensor<64x32xi32>
      %88 = "arith.cmpi"(%86, %87) <{predicate = 5 : i64}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi1>
      %89 = "arith.select"(%88, %85, %7) : (tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %90 = "tt.reduce"(%89) <{axis = 1 : i32}> ({
      ^bb0(%arg16: f32, %arg17: f32):
        %120 = "arith.maxnumf"(%arg16, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "tt.reduce.return"(%120) : (f32) -> ()
      }) : (tensor<64x32xf32>) -> tensor<64xf32>
      %91 = "arith.maxnumf"(%arg11, %90) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %92 = "tt.expand_dims"(%91) <{axis = 1 : i32}> : (tensor<64xf32>) -> tensor<64x1xf32>
      %93 = "tt.broadcast"(%92) : (tensor<64x1xf32>) -> tensor<64x32xf32>
      %94 = "arith.subf"(%89, %93) <{fastmath = #arith.fastmath<none>}> : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %95 = "math.exp2"(%94) <{fastmath = #arith.fastmath<none>}> : (tensor<64x32xf32>) -> tensor<64x32xf32>
      %96 = "arith.subf"(%arg11, %91) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %97 = "math.exp2"(%96) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>) -> tensor<64xf32>
      %98 = "arith.mulf"(%arg12, %97) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %99 = "tt.reduce"(%95) <{axis = 1 : i32}> ({
      ^bb0(%arg14: f32, %arg15: f32):
        %119 = "arith.addf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "tt.reduce.return"(%119) : (f32) -> ()
      }) : (tensor<64x32xf32>) -> tensor<64xf32>
      %100 = "arith.addf"(%98, %99) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %101 = "tt.expand_dims"(%66) <{axis = 1 : i32}> : (tensor<32xi32>) -> tensor<32x1xi32>
      %102 = "tt.splat"(%arg9) : (i32) -> tensor<32x1xi32>
      %103 = "arith.cmpi"(%101, %102) <{predicate = 2 : i64}> : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi1>
      %104 = "tt.addptr"(%arg2, %24) : (!tt.ptr<f16>, i64) -> !tt.ptr<f16>
      %105 = "tt.splat"(%arg8) : (i32) -> tensor<32x1xi32>
      %106 = "arith.muli"(%101, %105) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi32>
      %107 = "tt.splat"(%104) : (!tt.ptr<f16>) -> tensor<32x1x!tt.ptr<f16>>
      %108 = "tt.addptr"(%107, %106) : (tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>) -> tensor<32x1x!tt.ptr<f16>>
      %109 = "tt.broadcast"(%108) : (tensor<32x1x!tt.ptr<f16>>) -> tensor<32x64x!tt.ptr<f16>>
      %110 = "tt.broadcast"(%37) : (tensor<1x64xi32>) -> tensor<32x64xi32>
      %111 = "tt.addptr"(%109, %110) : (tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>) -> tensor<32x64x!tt.ptr<f16>>
      %112 = "tt.broadcast"(%103) : (tensor<32x1xi1>) -> tensor<32x64xi1>
      %113 = "tt.load"(%111, %112, %2) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi1>, tensor<32x64xf16>) -> tensor<32x64xf16>
      %114 = "arith.truncf"(%95) : (tensor<64x32xf32>) -> tensor<64x32xf16>
      %115 = "tt.expand_dims"(%97) <{axis = 1 : i32}> : (tensor<64xf32>) -> tensor<64x1xf32>
      %116 = "tt.broadcast"(%115) : (tensor<64x1xf32>) -> tensor<64x64xf32>
      %117 = "arith.mulf"(%arg13, %116) <{fastmath = #arith.fastmath<none>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %118 = "tt.dot"(%114, %113, %117) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      "scf.yield"(%91, %100, %118) : (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> ()
    }) : (i32, i32, i32, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)
    %47 = "tt.splat"(%arg9) : (i32) -> tensor<64xi32>
    %48 = "arith.cmpi"(%28, %47) <{predicate = 2 : i64}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %49 = "arith.muli"(%15, %arg9) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %50 = "tt.addptr"(%arg4, %49) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %51 = "tt.splat"(%50) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
    %52 = "tt.addptr"(%51, %28) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
    %53 = "math.log2"(%46#1) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>) -> tensor<64xf32>
    %54 = "arith.addf"(%46#0, %53) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    "tt.store"(%52, %54, %48) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> ()
    %55 = "tt.addptr"(%arg3, %24) : (!tt.ptr<f16>, i64) -> !tt.ptr<f16>
    %56 = "tt.splat"(%55) : (!tt.ptr<f16>) -> tensor<64x1x!tt.ptr<f16>>
    %57 = "tt.addptr"(%56, %34) : (tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>) -> tensor<64x1x!tt.ptr<f16>>
    %58 = "tt.broadcast"(%57) : (tensor<64x1x!tt.ptr<f16>>) -> tensor<64x64x!tt.ptr<f16>>
    %59 = "tt.addptr"(%58, %39) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
    %60 = "tt.expand_dims"(%46#1) <{axis = 1 : i32}> : (tensor<64xf32>) -> tensor<64x1xf32>
    %61 = "tt.broadcast"(%60) : (tensor<64x1xf32>) -> tensor<64x64xf32>
    %62 = "arith.divf"(%46#2, %61) <{fastmath = #arith.fastmath<none>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %63 = "arith.truncf"(%62) : (tensor<64x64xf32>) -> tensor<64x64xf16>
    "tt.store"(%59, %63, %41) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf16>, tensor<64x64xi1>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
