// RUN: triton-shared-opt %s --triton-combine | FileCheck %s

// A product that is added to something starts from there.
// CHECK-LABEL: tt.func @accumulate(
// CHECK-SAME:    %[[A:.*]]: tensor<16x16xf16>, %[[C:.*]]: tensor<16x16xf32>)
// CHECK-NEXT:    %[[D:.*]] = tt.dot %[[A]], %[[A]], %[[C]], inputPrecision = tf32 :
// CHECK-NEXT:    tt.return %[[D]]
tt.func @accumulate(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %zero, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %c, %0 : tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}

// The same for integers.
// CHECK-LABEL: tt.func @accumulate_integers(
// CHECK-SAME:    %[[A:.*]]: tensor<32x32xi8>, %[[C:.*]]: tensor<32x32xi32>)
// CHECK-NEXT:    tt.dot %[[A]], %[[A]], %[[C]] :
// CHECK-NEXT:    tt.return
tt.func @accumulate_integers(%a: tensor<32x32xi8>, %c: tensor<32x32xi32>) -> tensor<32x32xi32> {
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %0 = tt.dot %a, %a, %zero : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %1 = arith.addi %0, %c : tensor<32x32xi32>
  tt.return %1 : tensor<32x32xi32>
}

// A product with other uses, one that starts from something, and one whose sum
// is imprecise on purpose stay.
// CHECK-LABEL: tt.func @accumulate_not(
// CHECK-COUNT-3: arith.addf
tt.func @accumulate_not(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  %2 = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %2, %c : tensor<16x16xf32>
  %4 = tt.dot %a, %a, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %5 = arith.addf %4, %c : tensor<16x16xf32>
  tt.return %0, %1, %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// Offsets of 32 bits may pass that range together: their sum has 64.
// CHECK-LABEL: tt.func @add_pointer(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i32, %[[J:.*]]: i64)
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[WIDE]], %[[J]] : i64
// CHECK-NEXT:    tt.addptr %[[P]], %[[SUM]] : !tt.ptr<f32>, i64
// CHECK-NEXT:    tt.return
tt.func @add_pointer(%p: !tt.ptr<f32>, %i: i32, %j: i64) -> !tt.ptr<f32> {
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %j : !tt.ptr<f32>, i64
  tt.return %1 : !tt.ptr<f32>
}

// A pointer with other uses is there anyway.
// CHECK-LABEL: tt.func @add_pointer_not(
// CHECK-NEXT:    tt.addptr
// CHECK-NEXT:    tt.addptr
// CHECK-NEXT:    tt.return
tt.func @add_pointer_not(%p: !tt.ptr<f32>, %i: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %i : !tt.ptr<f32>, i32
  tt.return %0, %1 : !tt.ptr<f32>, !tt.ptr<f32>
}

// A number is computed once and then repeated. What a hint says of the elements
// of a block is not said of the number.
// CHECK-LABEL: tt.func @splat(
// CHECK-SAME:    %[[X:.*]]: i32)
// CHECK-NEXT:    %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-NEXT:    %[[Y:.*]] = arith.muli %[[X]], %[[EIGHT]] overflow<nsw> : i32
// CHECK-NEXT:    %[[B:.*]] = tt.splat %[[Y]] : i32 -> tensor<128xi32>
// CHECK-NEXT:    tt.return %[[B]]
tt.func @splat(%x: i32) -> tensor<128xi32> {
  %eight = arith.constant dense<8> : tensor<128xi32>
  %0 = tt.splat %x : i32 -> tensor<128xi32>
  %1 = arith.muli %0, %eight overflow<nsw> {tt.divisibility = dense<8> : tensor<1xi32>} : tensor<128xi32>
  tt.return %1 : tensor<128xi32>
}

// Pointers and operations of tt are no different.
// CHECK-LABEL: tt.func @splat_pointer(
// CHECK-NEXT:    %[[P:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
// CHECK-NEXT:    tt.splat %[[P]] : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
tt.func @splat_pointer(%p: !tt.ptr<f32>, %i: i32) -> tensor<8x!tt.ptr<f32>> {
  %0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %1 = tt.splat %i : i32 -> tensor<8xi32>
  %2 = tt.addptr %0, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.return %2 : tensor<8x!tt.ptr<f32>>
}

// A column is computed before it is repeated to a matrix; numbers join it.
// CHECK-LABEL: tt.func @broadcast(
// CHECK-SAME:    %[[X:.*]]: tensor<4x1xi32>, %[[Y:.*]]: tensor<4x1xi32>, %[[N:.*]]: i32)
// CHECK-NEXT:    %[[THREE:.*]] = arith.constant dense<3> : tensor<4x1xi32>
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[X]], %[[Y]] : tensor<4x1xi32>
// CHECK-NEXT:    %[[ROW:.*]] = tt.splat %[[N]] : i32 -> tensor<4x1xi32>
// CHECK-NEXT:    %[[PRODUCT:.*]] = arith.muli %[[SUM]], %[[ROW]] : tensor<4x1xi32>
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[PRODUCT]], %[[THREE]] : tensor<4x1xi32>
// CHECK-NEXT:    tt.broadcast %[[LESS]] : tensor<4x1xi1> -> tensor<4x8xi1>
tt.func @broadcast(%x: tensor<4x1xi32>, %y: tensor<4x1xi32>, %n: i32) -> tensor<4x8xi1> {
  %three = arith.constant dense<3> : tensor<4x8xi32>
  %0 = tt.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tt.broadcast %y : tensor<4x1xi32> -> tensor<4x8xi32>
  %2 = arith.addi %0, %1 : tensor<4x8xi32>
  %3 = tt.splat %n : i32 -> tensor<4x8xi32>
  %4 = arith.muli %2, %3 : tensor<4x8xi32>
  %5 = arith.cmpi slt, %4, %three : tensor<4x8xi32>
  tt.return %5 : tensor<4x8xi1>
}

// A row and a column only meet in the matrix.
// CHECK-LABEL: tt.func @broadcast_not(
// CHECK:         arith.addi {{.*}} : tensor<4x8xi32>
tt.func @broadcast_not(%x: tensor<4x1xi32>, %y: tensor<1x8xi32>) -> tensor<4x8xi32> {
  %0 = tt.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tt.broadcast %y : tensor<1x8xi32> -> tensor<4x8xi32>
  %2 = arith.addi %0, %1 : tensor<4x8xi32>
  tt.return %2 : tensor<4x8xi32>
}

// Code that does more than compute runs for each element.
// CHECK-LABEL: tt.func @foreign(
// CHECK:         tt.extern_elementwise %{{.*}} {{.*}} : (f32) -> f32
// CHECK:         tt.extern_elementwise %{{.*}} {{.*}} : (tensor<8xf32>) -> tensor<8xf32>
tt.func @foreign(%x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = false, symbol = "count"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// What PyTorch writes for a maximum that is NaN if anything is, both ways round.
// CHECK-LABEL: tt.func @extrema_or_nan(
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[LARGER:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK-NEXT:      tt.reduce.return %[[LARGER]]
// CHECK:         ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16):
// CHECK-NEXT:      %[[SMALLER:.*]] = arith.minimumf %[[B]], %[[A]] : bf16
// CHECK-NEXT:      tt.reduce.return %[[SMALLER]]
tt.func @extrema_or_nan(%x: tensor<8xf32>, %y: tensor<8xbf16>) -> (f32, bf16) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %nan = arith.cmpf une, %a, %a : f32
    %takes = arith.ori %larger, %nan : i1
    %2 = arith.select %takes, %a, %b : f32
    tt.reduce.return %2 : f32
  }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %larger = arith.cmpf oge, %a, %b : bf16
    %nan = arith.cmpf uno, %b, %b : bf16
    %takes = arith.ori %nan, %larger : i1
    %2 = arith.select %takes, %b, %a : bf16
    tt.reduce.return %2 : bf16
  }) : (tensor<8xbf16>) -> bf16
  tt.return %0, %1 : f32, bf16
}

// A NaN of the second side alone is not what this looks for, and outside of
// reductions it counts which of two zeros is taken.
// CHECK-LABEL: tt.func @extrema_not(
// CHECK-COUNT-2: arith.select
tt.func @extrema_not(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (f32, tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %nan = arith.cmpf une, %b, %b : f32
    %takes = arith.ori %larger, %nan : i1
    %2 = arith.select %takes, %a, %b : f32
    tt.reduce.return %2 : f32
  }) : (tensor<8xf32>) -> f32
  %larger = arith.cmpf ogt, %x, %y : tensor<8xf32>
  %nan = arith.cmpf une, %x, %x : tensor<8xf32>
  %takes = arith.ori %larger, %nan : tensor<8xi1>
  %1 = arith.select %takes, %x, %y : tensor<8xi1>, tensor<8xf32>
  tt.return %0, %1 : f32, tensor<8xf32>
}
