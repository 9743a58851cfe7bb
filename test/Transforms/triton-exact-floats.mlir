// RUN: triton-shared-opt %s --triton-exact-floats --split-input-file | FileCheck %s

// Floats in registers and in memory are integers of 64 bits, and what converted
// them is gone.
// CHECK:       tt.exact_tracks = 1 : i32
// CHECK-LABEL: tt.func @half(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %[[X:.*]]: i64)
// CHECK-NEXT:    %[[Y:.*]] = arith.muli %[[X]], %[[X]] : i64
// CHECK-NEXT:    tt.store %[[P]], %[[Y]] : !tt.ptr<i64>
tt.func @half(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x: f32) {
  %0 = arith.mulf %x, %x : f32
  %1 = arith.truncf %0 : f32 to f16
  tt.store %p, %1 : !tt.ptr<f16>
  tt.return
}

// -----

// Whole numbers are themselves; others are odd, and their negatives negative.
// CHECK-LABEL: tt.func @constants(
// CHECK:         arith.constant dense<[0, 1, -3]> : tensor<3xi64>
// CHECK:         arith.constant -[[H:[0-9]*[13579]]] : i64
// CHECK-NEXT:    arith.constant [[H]] : i64
// CHECK-NEXT:    arith.constant 9007199254740992 : i64
// CHECK-NEXT:    arith.constant dense<7> : tensor<2xi32>
tt.func @constants(%p: !tt.ptr<f32>, %q: tensor<3x!tt.ptr<f32>>, %r: tensor<2x!tt.ptr<i32>>) {
  %0 = arith.constant dense<[0.0, 1.0, -3.0]> : tensor<3xf32>
  %1 = arith.constant 0.75 : f32
  %2 = arith.constant -0.75 : f32
  %3 = arith.constant 9007199254740992.0 : f32
  %4 = arith.constant dense<7> : tensor<2xi32>
  tt.store %p, %1 : !tt.ptr<f32>
  tt.store %p, %2 : !tt.ptr<f32>
  tt.store %p, %3 : !tt.ptr<f32>
  tt.store %q, %0 : tensor<3x!tt.ptr<f32>>
  tt.store %r, %4 : tensor<2x!tt.ptr<i32>>
  tt.return
}

// -----

// Sums and products wrap.
// CHECK-LABEL: tt.func @arithmetic(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i64>, %[[X:.*]]: i64, %[[Y:.*]]: i64, %[[N:.*]]: i32)
// CHECK:         %[[A:.*]] = arith.addi %[[X]], %[[Y]] : i64
// CHECK:         %[[B:.*]] = arith.subi %[[A]], %[[Y]] : i64
// CHECK:         %[[Z:.*]] = arith.constant 0 : i64
// CHECK:         %[[C:.*]] = arith.subi %[[Z]], %[[B]] : i64
// CHECK:         %[[D:.*]] = arith.muli %[[C]], %[[X]] : i64
// CHECK:         %[[E:.*]] = arith.addi %[[D]], %[[Y]] : i64
// CHECK:         %[[W:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[F:.*]] = arith.addi %[[E]], %[[W]] : i64
// CHECK:         %[[U:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK:         arith.addi %[[F]], %[[U]] : i64
tt.func @arithmetic(%p: !tt.ptr<f32>, %x: f32, %y: f32, %n: i32) {
  %0 = arith.addf %x, %y : f32
  %1 = arith.subf %0, %y : f32
  %2 = arith.negf %1 : f32
  %3 = math.fma %2, %x, %y : f32
  %4 = arith.sitofp %n : i32 to f32
  %5 = arith.addf %3, %4 : f32
  %6 = arith.uitofp %n : i32 to f32
  %7 = arith.addf %5, %6 : f32
  tt.store %p, %7 : !tt.ptr<f32>
  tt.return
}

// -----

// A function is scrambled: it is odd, and known where it is a whole number. It
// has one name, wherever it is from.
// CHECK-LABEL: tt.func @functions(
// CHECK-SAME:    %{{.*}}: !tt.ptr<i64>, %[[X:.*]]: i64)
// CHECK:         %[[KEY:.*]] = arith.constant [[EXP:-?[0-9]+]] : i64
// CHECK:         arith.addi %[[KEY]], %[[X]] : i64
// CHECK:         arith.muli
// CHECK:         arith.ori
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[X]], %[[ZERO]] : i64
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         arith.select %[[IS]], %[[ONE]], %{{.*}} : i64
// CHECK:         arith.constant [[EXP]] : i64
// CHECK:         arith.constant [[SQRT:-?[0-9]+]] : i64
// CHECK:         arith.constant [[SQRT]] : i64
tt.func @functions(%p: !tt.ptr<f32>, %x: f32) {
  %0 = math.exp %x : f32
  %1 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (f32) -> f32
  %2 = math.sqrt %1 : f32
  %3 = tt.precise_sqrt %2 : f32
  tt.store %p, %3 : !tt.ptr<f32>
  tt.return
}

// -----

// A quotient is a product.
// CHECK-LABEL: tt.func @quotient(
// CHECK-SAME:    %{{.*}}: !tt.ptr<i64>, %[[X:.*]]: i64)
// CHECK:         arith.ori
// CHECK:         %[[R:.*]] = arith.select
// CHECK-NEXT:    arith.muli %[[X]], %[[R]] : i64
tt.func @quotient(%p: !tt.ptr<f32>, %x: f32) {
  %0 = arith.divf %x, %x : f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

// A product of matrices is 36 of bytes: the accumulator is added, not passed on.
// CHECK-LABEL: tt.func @product(
// CHECK-COUNT-36: tt.dot {{.*}} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
// CHECK-NOT:      tt.dot
tt.func @product(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) {
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.store %p, %0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Regions of reductions, loops and branches carry what everything else has.
// CHECK-LABEL: tt.func @regions(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<8xi64>)
// CHECK:         "tt.reduce"
// CHECK-NEXT:    ^bb0(%[[L:.*]]: i64, %[[R:.*]]: i64):
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[L]], %[[R]] : i64
// CHECK-NEXT:      tt.reduce.return %[[S]] : i64
// CHECK:         tt.atomic_rmw add, relaxed, gpu, {{.*}} -> i64
tt.func @regions(%p: !tt.ptr<f32>, %x: tensor<8xf32>, %n: i32, %m: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (tensor<8xf32>) : i32 {
    %3 = arith.addf %sum, %x : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %3 = arith.addf %l, %r : f32
    tt.reduce.return %3 : f32
  }) : (tensor<8xf32>) -> f32
  %2 = tt.atomic_rmw fadd, relaxed, gpu, %p, %1, %m : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}

// -----

// Where floats are compared, an f64 goes beside each, and decides.
// CHECK:       tt.exact_tracks = 2 : i32
// CHECK-LABEL: tt.func @compared(
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<i64>, %[[PR:.*]]: !tt.ptr<f64>, %{{.*}}: !tt.ptr<i32>, %[[X:.*]]: i64, %[[XR:.*]]: f64)
// CHECK:         %[[Y:.*]] = tt.load %[[P]] : !tt.ptr<i64>
// CHECK:         %[[YR:.*]] = tt.load %[[PR]] : !tt.ptr<f64>
// CHECK:         %[[B:.*]] = arith.cmpf ogt, %[[XR]], %[[YR]] : f64
// CHECK:         %[[C:.*]] = arith.select %[[B]], %[[X]], %[[Y]] : i64
// CHECK:         %[[CR:.*]] = arith.select %[[B]], %[[XR]], %[[YR]] : f64
// CHECK:         arith.fptosi %[[CR]] : f64 to i32
// CHECK:         tt.store %[[P]], %[[C]] : !tt.ptr<i64>
// CHECK:         tt.store %[[PR]], %[[CR]] : !tt.ptr<f64>
tt.func @compared(%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %x: f16) {
  %0 = tt.load %p : !tt.ptr<f16>
  %1 = arith.cmpf ogt, %x, %0 : f16
  %2 = arith.select %1, %x, %0 : f16
  %3 = arith.fptosi %2 : f16 to i32
  tt.store %q, %3 : !tt.ptr<i32>
  tt.store %p, %2 : !tt.ptr<f16>
  tt.return
}

// -----

// A maximum is picked by f64, and of two that are equal there the larger number.
// CHECK-LABEL: tt.func @largest(
// CHECK:         "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i64, %[[AR:.*]]: f64, %[[B:.*]]: i64, %[[BR:.*]]: f64):
// CHECK-DAG:       %[[BEYOND:.*]] = arith.cmpf ogt, %[[BR]], %[[AR]] : f64
// CHECK-DAG:       %[[LARGER:.*]] = arith.cmpi ugt, %[[B]], %[[A]] : i64
// CHECK-DAG:       %[[EQUAL:.*]] = arith.cmpf oeq, %[[AR]], %[[BR]] : f64
// CHECK-DAG:       %[[TIE:.*]] = arith.andi %[[EQUAL]], %[[LARGER]] : i1
// CHECK:           %[[C:.*]] = arith.select %{{.*}}, %[[B]], %[[A]] : i64
// CHECK-NEXT:      %[[CR:.*]] = arith.maxnumf %[[AR]], %[[BR]] : f64
// CHECK-NEXT:      tt.reduce.return %[[C]], %[[CR]] : i64, f64
tt.func @largest(%p: !tt.ptr<f32>, %x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %1 = arith.maxnumf %l, %r : f32
    tt.reduce.return %1 : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %0 : !tt.ptr<f32>
  tt.return
}

// -----

// The sign of a size, and the bounds of a value, are those of the f64.
// CHECK-LABEL: tt.func @picked(
// CHECK:         %[[NEGATIVE:.*]] = arith.cmpf olt, %{{.*}} : f64
// CHECK:         arith.select %[[NEGATIVE]], %{{.*}} : i64
// CHECK:         math.absf %{{.*}} : f64
// CHECK:         arith.cmpf olt, %{{.*}} : f64
// CHECK:         arith.cmpf ogt, %{{.*}} : f64
// CHECK:         tt.clampf %{{.*}} : f64
tt.func @picked(%p: !tt.ptr<f32>, %x: f32, %y: f32) {
  %0 = math.absf %x : f32
  %1 = tt.clampf %0, %x, %y, propagateNan = none : f32
  tt.store %p, %1 : !tt.ptr<f32>
  tt.return
}

// -----

// Block pointers and descriptors are those of both memories; NaN does not pad
// integers.
// CHECK-LABEL: tt.func @blocks(
// CHECK-SAME:    %{{.*}}: !tt.ptr<i64>, %{{.*}}: !tt.ptr<f64>, %{{.*}}: !tt.tensordesc<tensor<8xi64>>, %{{.*}}: !tt.tensordesc<tensor<8xf64>>
// CHECK:         tt.make_tensor_ptr {{.*}} : <tensor<8xi64>>
// CHECK:         tt.make_tensor_ptr {{.*}} : <tensor<8xf64>>
// CHECK:         tt.load {{.*}}padding = 1 : i32{{.*}} : !tt.ptr<tensor<8xi64>>
// CHECK:         tt.load {{.*}}padding = 2 : i32{{.*}} : !tt.ptr<tensor<8xf64>>
// CHECK:         tt.descriptor_store {{.*}}tensor<8xi64>
// CHECK:         tt.descriptor_store {{.*}}tensor<8xf64>
tt.func @blocks(%p: !tt.ptr<f32>, %d: !tt.tensordesc<tensor<8xf32>>, %n: i64, %i: i32) {
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<8xf32>>
  %1 = tt.load %0 {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<8xf32>>
  %2 = arith.maxnumf %1, %1 : tensor<8xf32>
  tt.descriptor_store %d[%i], %2 : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
  tt.return
}
