"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}], function_type = (!tt.ptr<i32>, !tt.ptr<i32>, !tt.ptr<i32>) -> (), sym_name = "map_elem", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<i32>, %arg1: !tt.ptr<i32>, %arg2: !tt.ptr<i32>):
    %0 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %1 = "tt.splat"(%arg0) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %2 = "tt.addptr"(%1, %0) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %3 = "tt.load"(%2) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<i32>>) -> tensor<64xi32>
    %4 = "tt.splat"(%arg1) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %5 = "tt.addptr"(%4, %0) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %6 = "tt.load"(%5) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<i32>>) -> tensor<64xi32>
    %7:2 = "tt.map_elementwise"(%3, %6) <{pack = 1 : i32}> ({
    ^bb0(%arg3: i32, %arg4: i32):
      %11 = "arith.cmpi"(%arg3, %arg4) <{predicate = 4 : i64}> : (i32, i32) -> i1
      "cf.cond_br"(%11)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^bb1:  // pred: ^bb0
      %12 = "arith.subi"(%arg3, %arg4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "cf.br"(%12, %arg4)[^bb3] : (i32, i32) -> ()
    ^bb2:  // pred: ^bb0
      %13 = "arith.subi"(%arg4, %arg3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "cf.br"(%13, %arg3)[^bb3] : (i32, i32) -> ()
    ^bb3(%14: i32, %15: i32):  // 2 preds: ^bb1, ^bb2
      "tt.map_elementwise.return"(%14, %15) : (i32, i32) -> ()
    }) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
    %8 = "tt.splat"(%arg2) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %9 = "tt.addptr"(%8, %0) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    %10 = "arith.addi"(%7#0, %7#1) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    "tt.store"(%9, %10) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {} : () -> ()
