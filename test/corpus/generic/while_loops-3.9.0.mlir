#loop_licm = #llvm.loop_licm<disable = true, versioningDisable = true>
#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<i32>, i32, f32) -> (), sym_name = "whiles", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<i32>, %arg2: i32, %arg3: f32):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %5 = "tt.load"(%arg0) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
    %6:2 = "scf.while"(%4, %5) ({
    ^bb0(%arg8: i32, %arg9: f32):
      %18 = "arith.cmpi"(%arg8, %arg2) <{predicate = 2 : i64}> : (i32, i32) -> i1
      %19 = "arith.cmpf"(%arg9, %arg3) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %20 = "arith.andi"(%18, %19) : (i1, i1) -> i1
      "scf.condition"(%20, %arg8, %arg9) : (i1, i32, f32) -> ()
    }, {
    ^bb0(%arg6: i32, %arg7: f32):
      %12 = "arith.mulf"(%arg7, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %13 = "arith.remsi"(%arg6, %2) : (i32, i32) -> i32
      %14 = "arith.cmpi"(%13, %4) <{predicate = 0 : i64}> : (i32, i32) -> i1
      %15 = "scf.if"(%14) ({
        %17 = "arith.addf"(%12, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "scf.yield"(%17) : (f32) -> ()
      }, {
        "scf.yield"(%12) : (f32) -> ()
      }) : (i1) -> f32
      %16 = "arith.addi"(%arg6, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"(%16, %15) : (i32, f32) -> ()
    }) : (i32, f32) -> (i32, f32)
    %7 = "scf.while"(%6#0) ({
    ^bb0(%arg5: i32):
      %10 = "arith.muli"(%arg2, %2) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %11 = "arith.cmpi"(%arg5, %10) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "scf.condition"(%11, %arg5) : (i1, i32) -> ()
    }, {
    ^bb0(%arg4: i32):
      %8 = "tt.load"(%arg1) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<i32>) -> i32
      %9 = "arith.addi"(%arg4, %8) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"(%9) : (i32) -> ()
    }) {llvm.loop_annotation = #loop_annotation} : (i32) -> i32
    "tt.store"(%arg1, %7) : (!tt.ptr<i32>, i32) -> ()
    "tt.store"(%arg0, %6#1) : (!tt.ptr<f32>, f32) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
