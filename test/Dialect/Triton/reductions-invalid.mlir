// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// Products, sums and scans that do not fit.

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op can not multiply 'f16' by 'i8' and add to 'f32'}}
  %0 = tt.dot %a, %i, %c : tensor<16x32xf16> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op has 32 columns on the left, but 16 rows on the right}}
  %0 = tt.dot %a, %a, %c : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op makes a 32x32 matrix, but the accumulator is 16x16}}
  %0 = tt.dot %b, %a, %c : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op needs operands that are all matrices, or all batches of matrices}}
  %0 = tt.dot %a, %v, %c : tensor<16x32xf16> * tensor<32xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op needs operands that are all matrices, or all batches of matrices}}
  %0 = tt.dot %t, %b, %c : tensor<2x16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<2x16x32xf16>, %b: tensor<3x32x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @below {{'tt.dot' op has batches of 2, 3 and 2 matrices}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x32xf16> * tensor<3x32x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{expected}}
  %0 = tt.dot %a, %b, %c, inputPrecision = fp64 : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %i: tensor<32x16xi8>, %v: tensor<32xf16>, %t: tensor<2x16x32xf16>) {
  // expected-error @below {{'tt.dot' op has a negative 'maxNumImpreciseAcc'}}
  %0 = tt.dot %a, %b, %c {maxNumImpreciseAcc = -1 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%q: tensor<16x16xi8>, %r: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>, %s2: tensor<16x2xi8>) {
  // expected-error @below {{'tt.dot_scaled' op can not read 'f8E5M2' as 'e4m3'}}
  %0 = tt.dot_scaled %q, %r, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x16xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%q: tensor<16x16xi8>, %r: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>, %s2: tensor<16x2xi8>) {
  // expected-error @below {{'tt.dot_scaled' op can not read 'i8' as 'bf16'}}
  %0 = tt.dot_scaled %q, %r, %c lhs = bf16 rhs = e5m2 {fastMath = false} : tensor<16x16xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%q: tensor<16x16xi8>, %r: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>, %s2: tensor<16x2xi8>) {
  // expected-error @below {{'tt.dot_scaled' op has 16 columns on the left, but 32 rows on the right}}
  %0 = tt.dot_scaled %q, %r, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x16xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%q: tensor<16x16xi8>, %r: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>, %s2: tensor<16x2xi8>) {
  // expected-error @below {{'tt.dot_scaled' op has 'tensor<16x16xi8>' as the scale on the left, but needs 16x1 or 16x2 of them}}
  %0 = tt.dot_scaled %q scale %q, %r, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<16x16xi8>, tensor<16x16xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op works along dimension 2 of a block with 2 dimensions}}
  %0 = "tt.reduce"(%a) <{axis = 2 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op works along dimension -1 of a block with 2 dimensions}}
  %0 = "tt.reduce"(%a) <{axis = -1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op has the result 'tensor<4xf32>', but makes 'tensor<8xf32>'}}
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op has the result 'tensor<1xf32>', but makes 'f32'}}
  %0 = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4xf32>) -> tensor<1xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op }}
  %0 = "tt.reduce"(%a, %s) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op has 2 operands, but 1 results}}
  %0 = "tt.reduce"(%a, %a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op has a region that takes ('f32'), but combines ('f32', 'f32')}}
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32):
    tt.reduce.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    // expected-error @below {{'tt.reduce.return' op returns ('f32', 'f32'), but the elements are ('f32')}}
    tt.reduce.return %x, %y : f32, f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    // expected-error @below {{'tt.scan.return' op expects parent op 'tt.scan'}}
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.scan' op has the result 'tensor<8xf32>', but makes 'tensor<4x8xf32>'}}
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: f32, %y: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tt.scan' op requires attribute 'reverse'}}
  %0 = "tt.scan"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.scan.return %x : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'tt.reduce' op region #0 ('combineOp') failed to verify constraint: region with 1 blocks}}
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @f() {
  // expected-error @below {{'tt.reduce' op expected 1 or more operands, but found 0}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'tt.reduce' op has a region that ends in 'llvm.unreachable'}}
  "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%a: tensor<8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
  // expected-error @below {{'tt.dot_scaled' op needs matrices, or batches of matrices}}
  %0 = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = fp16 {fastMath = false} : tensor<8xf16> * tensor<8x8xf16> -> tensor<8x8xf32>
  tt.return
}
