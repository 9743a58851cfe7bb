// RUN: triton-shared-opt %s --cpu-scans-to-vector --linalg-to-vector | FileCheck %s

// Scans that have no form by vectors, and loops that are none.

#id = affine_map<(d0, d1) -> (d0, d1)>

// Columns are scanned slice by slice.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @columns(%x: tensor<32x32xi32>) -> tensor<32x32xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %first = tensor.extract_slice %x[0, 0] [1, 32] [1, 1] : tensor<32x32xi32> to tensor<1x32xi32>
  %empty = tensor.empty() : tensor<32x32xi32>
  %out0 = tensor.insert_slice %first into %empty[0, 0] [1, 32] [1, 1] : tensor<1x32xi32> into tensor<32x32xi32>
  %r:2 = scf.for %k = %c1 to %c32 step %c1 iter_args(%sum = %first, %out = %out0) -> (tensor<1x32xi32>, tensor<32x32xi32>) {
    %new = tensor.extract_slice %x[%k, 0] [1, 32] [1, 1] : tensor<32x32xi32> to tensor<1x32xi32>
    %old = tensor.extract_slice %out[%k, 0] [1, 32] [1, 1] : tensor<32x32xi32> to tensor<1x32xi32>
    %s:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%new : tensor<1x32xi32>) outs(%sum, %old : tensor<1x32xi32>, tensor<1x32xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %0 = arith.addi %b, %a : i32
      linalg.yield %0, %0 : i32, i32
    } -> (tensor<1x32xi32>, tensor<1x32xi32>)
    %out1 = tensor.insert_slice %s#1 into %out[%k, 0] [1, 32] [1, 1] : tensor<1x32xi32> into tensor<32x32xi32>
    scf.yield %s#0, %out1 : tensor<1x32xi32>, tensor<32x32xi32>
  }
  return %r#1 : tensor<32x32xi32>
}

// Nor are there vectors of two lanes.
// CHECK-LABEL: func.func @two_elements(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @two_elements(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 2 : index
  %first = tensor.extract %x[%c0] : tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<2xf32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (f32, tensor<2xf32>) {
    %new = tensor.extract %x[%k] : tensor<2xf32>
    %next = arith.addf %sum, %new : f32
    %out1 = tensor.insert %next into %out[%k] : tensor<2xf32>
    scf.yield %next, %out1 : f32, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}

// Booleans are bytes in memory.
// CHECK-LABEL: func.func @booleans(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @booleans(%x: tensor<64xi1>) -> tensor<64xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xi1>
  %empty = tensor.empty() : tensor<64xi1>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xi1>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (i1, tensor<64xi1>) {
    %new = tensor.extract %x[%k] : tensor<64xi1>
    %next = arith.ori %sum, %new : i1
    %out1 = tensor.insert %next into %out[%k] : tensor<64xi1>
    scf.yield %next, %out1 : i1, tensor<64xi1>
  }
  return %r#1 : tensor<64xi1>
}

// Small floats that CPUs do not convert become f32 later, as scalars.
// CHECK-LABEL: func.func @small_floats(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @small_floats(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xbf16>
  %empty = tensor.empty() : tensor<64xbf16>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xbf16>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (bf16, tensor<64xbf16>) {
    %new = tensor.extract %x[%k] : tensor<64xbf16>
    %next = arith.mulf %sum, %new : bf16
    %out1 = tensor.insert %next into %out[%k] : tensor<64xbf16>
    scf.yield %next, %out1 : bf16, tensor<64xbf16>
  }
  return %r#1 : tensor<64xbf16>
}

// Functions of the C library take one number at a time.
// CHECK-LABEL: func.func @functions(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @functions(%x: tensor<64xf64>) -> tensor<64xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xf64>
  %empty = tensor.empty() : tensor<64xf64>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xf64>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (f64, tensor<64xf64>) {
    %new = tensor.extract %x[%k] : tensor<64xf64>
    %power = math.sin %new : f64
    %next = arith.addf %sum, %power : f64
    %out1 = tensor.insert %next into %out[%k] : tensor<64xf64>
    scf.yield %next, %out1 : f64, tensor<64xf64>
  }
  return %r#1 : tensor<64xf64>
}

// Conversions to f16 may round in ways of their own, for which there are only scalars.
// CHECK-LABEL: func.func @roundings(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @roundings(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xf32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (f32, tensor<64xf32>) {
    %new = tensor.extract %x[%k] : tensor<64xf32>
    %total = arith.addf %sum, %new : f32
    %small = arith.truncf %total toward_zero : f32 to f16
    %next = arith.extf %small : f16 to f32
    %out1 = tensor.insert %next into %out[%k] : tensor<64xf32>
    scf.yield %next, %out1 : f32, tensor<64xf32>
  }
  return %r#1 : tensor<64xf32>
}

// CPUs divide integers one by one.
// CHECK-LABEL: func.func @divisions(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @divisions(%x: tensor<64xi32>) -> tensor<64xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xi32>
  %empty = tensor.empty() : tensor<64xi32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xi32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (i32, tensor<64xi32>) {
    %new = tensor.extract %x[%k] : tensor<64xi32>
    %c7 = arith.constant 7 : i32
    %total = arith.addi %sum, %new : i32
    %next = arith.remsi %total, %c7 : i32
    %out1 = tensor.insert %next into %out[%k] : tensor<64xi32>
    scf.yield %next, %out1 : i32, tensor<64xi32>
  }
  return %r#1 : tensor<64xi32>
}

// Lanes cannot branch.
// CHECK-LABEL: func.func @branches(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @branches(%x: tensor<64xi32>) -> tensor<64xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xi32>
  %empty = tensor.empty() : tensor<64xi32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xi32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (i32, tensor<64xi32>) {
    %new = tensor.extract %x[%k] : tensor<64xi32>
    %c7 = arith.constant 7 : i32
    %isLarge = arith.cmpi sgt, %new, %c7 : i32
    %next = scf.if %isLarge -> (i32) {
      scf.yield %new : i32
    } else {
      %total = arith.addi %sum, %new : i32
      scf.yield %total : i32
    }
    %out1 = tensor.insert %next into %out[%k] : tensor<64xi32>
    scf.yield %next, %out1 : i32, tensor<64xi32>
  }
  return %r#1 : tensor<64xi32>
}

// A loop that looks at its index is no scan.
// CHECK-LABEL: func.func @places(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @places(%x: tensor<64xi32>) -> tensor<64xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %first = tensor.extract %x[%c0] : tensor<64xi32>
  %empty = tensor.empty() : tensor<64xi32>
  %out0 = tensor.insert %first into %empty[%c0] : tensor<64xi32>
  %r:2 = scf.for %k = %c1 to %end step %c1 iter_args(%sum = %first, %out = %out0) -> (i32, tensor<64xi32>) {
    %new = tensor.extract %x[%k] : tensor<64xi32>
    %place = arith.index_cast %k : index to i32
    %total = arith.addi %sum, %new : i32
    %next = arith.addi %total, %place : i32
    %out1 = tensor.insert %next into %out[%k] : tensor<64xi32>
    scf.yield %next, %out1 : i32, tensor<64xi32>
  }
  return %r#1 : tensor<64xi32>
}

// A loop over memory is no scan: what it stores may be what it loads next.
// CHECK-LABEL: func.func @memory(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @memory(%x: memref<64xf32>, %out: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = memref.load %x[%c0] : memref<64xf32>
  %last = scf.for %i = %c1 to %c64 step %c1 iter_args(%sum = %first) -> (f32) {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.addf %sum, %v : f32
    memref.store %next, %out[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  return %last : f32
}
