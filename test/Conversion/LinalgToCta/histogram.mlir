// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s

// A loop over elements and bins that counts where they meet is a histogram.

#element = affine_map<(d0, d1) -> (d0)>
#bin = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<32xi32>, %[[M:[^:]*]]: tensor<32xi1>
// CHECK:         %[[H:.*]] = cta.histogram %[[X]] mask %[[M]] : tensor<32xi1> : tensor<32xi32> -> tensor<4xi32>
// CHECK:         return %[[H]]
func.func @masked(%x: tensor<32xi32>, %m: tensor<32xi1>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xi32>
  %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %h = linalg.generic {indexing_maps = [#element, #element, #bin], iterator_types = ["reduction", "parallel"]} ins(%x, %m : tensor<32xi32>, tensor<32xi1>) outs(%z : tensor<4xi32>) {
  ^bb0(%in: i32, %is: i1, %out: i32):
    %i = linalg.index 1 : index
    %b = arith.index_cast %i : index to i32
    %eq = arith.cmpi eq, %in, %b : i32
    %hit = arith.andi %eq, %is : i1
    %one = arith.extui %hit : i1 to i32
    %sum = arith.addi %out, %one : i32
    linalg.yield %sum : i32
  } -> tensor<4xi32>
  return %h : tensor<4xi32>
}

// Narrow elements are compared as they are; counts may go on from others.
// CHECK-LABEL: func.func @bytes_on_top(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<32xi8>, %[[Y:[^:]*]]: tensor<4xi32>
// CHECK:         %[[H:.*]] = cta.histogram %[[X]] : tensor<32xi8> -> tensor<4xi32>
// CHECK:         arith.addi %[[Y]], %[[H]]
func.func @bytes_on_top(%x: tensor<32xi8>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %h = linalg.generic {indexing_maps = [#element, #bin], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<32xi8>) outs(%y : tensor<4xi32>) {
  ^bb0(%in: i8, %out: i32):
    %i = linalg.index 1 : index
    %b = arith.index_cast %i : index to i32
    %wide = arith.extui %in : i8 to i32
    %eq = arith.cmpi eq, %wide, %b : i32
    %one = arith.extui %eq : i1 to i32
    %sum = arith.addi %out, %one : i32
    linalg.yield %sum : i32
  } -> tensor<4xi32>
  return %h : tensor<4xi32>
}

// The number of the only bin is a constant.
// CHECK-LABEL: func.func @one_bin(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<32xi32>, %[[M:[^:]*]]: tensor<32xi1>
// CHECK:         cta.histogram %[[X]] mask %[[M]] : tensor<32xi1> : tensor<32xi32> -> tensor<1xi32>
func.func @one_bin(%x: tensor<32xi32>, %m: tensor<32xi1>) -> tensor<1xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1xi32>
  %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<1xi32>) -> tensor<1xi32>
  %h = linalg.generic {indexing_maps = [#element, #element, #bin], iterator_types = ["reduction", "parallel"]} ins(%x, %m : tensor<32xi32>, tensor<32xi1>) outs(%z : tensor<1xi32>) {
  ^bb0(%in: i32, %is: i1, %out: i32):
    %eq = arith.cmpi eq, %in, %c0 : i32
    %hit = arith.andi %eq, %is : i1
    %one = arith.extui %hit : i1 to i32
    %sum = arith.addi %out, %one : i32
    linalg.yield %sum : i32
  } -> tensor<1xi32>
  return %h : tensor<1xi32>
}
