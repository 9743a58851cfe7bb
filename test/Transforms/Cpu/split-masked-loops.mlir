// RUN: triton-shared-opt %s --cpu-split-masked-loops | FileCheck %s

// Up to the bound, rounded down to whole vectors, there is no comparison.
// CHECK-LABEL: func.func @below(
// CHECK-SAME:    %[[N:[^:]*]]: i32
// CHECK:         %[[LESS:.*]] = arith.subi %[[N]], %{{.*}} : i32
// CHECK:         %[[COUNT:.*]] = arith.minui %[[LESS]], %{{.*}} : i32
// CHECK:         arith.select %{{.*}}, %[[COUNT]], %{{.*}} : i32
// CHECK:         %[[TURNS:.*]] = arith.divui %{{.*}}, %[[STEP:.*]] : index
// CHECK:         %[[END:.*]] = arith.muli %[[TURNS]], %[[STEP]] : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.select %cst{{.*}}
// CHECK:         scf.for %{{.*}} = %[[END]] to %c256
// CHECK:           %[[MASK:.*]] = arith.cmpi slt
// CHECK:           arith.select %[[MASK]]
func.func @below(%n: i32, %m: memref<256xf32>, %x: vector<16xf32>, %y: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %start = vector.broadcast %i : index to vector<16xindex>
    %step = vector.step : vector<16xindex>
    %at = arith.addi %start, %step : vector<16xindex>
    %place = arith.index_cast %at : vector<16xindex> to vector<16xi32>
    %bound = vector.broadcast %n : i32 to vector<16xi32>
    %mask = arith.cmpi slt, %place, %bound : vector<16xi32>
    %r = arith.select %mask, %x, %y : vector<16xi1>, vector<16xf32>
    vector.store %r, %m[%i] : memref<256xf32>, vector<16xf32>
  }
  return
}

// Places count from an offset, and sides may be exchanged. What the first loop
// has collected goes on in the second.
// CHECK-LABEL: func.func @not_beyond_from_an_offset(
// CHECK-SAME:    %[[N:[^:]*]]: i32, %[[OFFSET:[^:]*]]: i32
// CHECK:         arith.cmpi sle, %[[OFFSET]], %[[N]] : i32
// CHECK:         arith.cmpi sle, %[[OFFSET]], %c2147483136_i32 : i32
// CHECK:         arith.minui %{{.*}}, %c511_i32 : i32
// CHECK:         %[[END:.*]] = arith.muli
// CHECK:         %[[WHOLE:.*]] = scf.for %{{.*}} to %[[END]]
// CHECK:           arith.select %cst
// CHECK:         scf.for %{{.*}} = %[[END]] to %c512{{.*}} iter_args(%{{.*}} = %[[WHOLE]])
// CHECK:           arith.cmpi sge
func.func @not_beyond_from_an_offset(%n: i32, %offset: i32, %x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %sum = scf.for %i = %c0 to %c512 step %c32 iter_args(%soFar = %x) -> vector<16xf32> {
    %second = arith.addi %i, %c16 : index
    %start = vector.broadcast %second : index to vector<16xindex>
    %step = vector.step : vector<16xindex>
    %at = arith.addi %start, %step : vector<16xindex>
    %place = arith.index_cast %at : vector<16xindex> to vector<16xi32>
    %offsets = vector.broadcast %offset : i32 to vector<16xi32>
    %sums = arith.addi %offsets, %place : vector<16xi32>
    %bound = vector.broadcast %n : i32 to vector<16xi32>
    %mask = arith.cmpi sge, %bound, %sums : vector<16xi32>
    %r = arith.select %mask, %soFar, %y : vector<16xi1>, vector<16xf32>
    scf.yield %r : vector<16xf32>
  }
  return %sum : vector<16xf32>
}

// LLVM unrolls short loops.
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     arith.divui
func.func @short(%n: i32, %m: memref<64xf32>, %x: vector<16xf32>, %y: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %start = vector.broadcast %i : index to vector<16xindex>
    %step = vector.step : vector<16xindex>
    %at = arith.addi %start, %step : vector<16xindex>
    %place = arith.index_cast %at : vector<16xindex> to vector<16xi32>
    %bound = vector.broadcast %n : i32 to vector<16xi32>
    %mask = arith.cmpi slt, %place, %bound : vector<16xi32>
    %r = arith.select %mask, %x, %y : vector<16xi1>, vector<16xf32>
    vector.store %r, %m[%i] : memref<64xf32>, vector<16xf32>
  }
  return
}

// A bound that changes in the loop says nothing in front of it.
// CHECK-LABEL: func.func @bound_in_the_loop(
// CHECK-NOT:     arith.divui
func.func @bound_in_the_loop(%bounds: memref<256xi32>, %m: memref<256xf32>, %x: vector<16xf32>, %y: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %n = memref.load %bounds[%i] : memref<256xi32>
    %start = vector.broadcast %i : index to vector<16xindex>
    %step = vector.step : vector<16xindex>
    %at = arith.addi %start, %step : vector<16xindex>
    %place = arith.index_cast %at : vector<16xindex> to vector<16xi32>
    %bound = vector.broadcast %n : i32 to vector<16xi32>
    %mask = arith.cmpi slt, %place, %bound : vector<16xi32>
    %r = arith.select %mask, %x, %y : vector<16xi1>, vector<16xf32>
    vector.store %r, %m[%i] : memref<256xf32>, vector<16xf32>
  }
  return
}
