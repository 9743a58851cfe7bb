// RUN: split-file %s %t
// RUN: triton-shared-opt %t/ttir.mlir --verify-phase=phase=ttir --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/structured.mlir --verify-phase=phase=structured --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/linalg.mlir --verify-phase=phase=linalg --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/memref.mlir --verify-phase=phase=memref --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/cta.mlir --verify-phase=phase=cta --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/gpu.mlir --verify-phase=phase=gpu --verify-diagnostics
// RUN: triton-shared-opt %t/llir.mlir --verify-phase=phase=llir --split-input-file --verify-diagnostics
// RUN: triton-shared-opt %t/option.mlir --verify-phase=phase=linag --verify-diagnostics

//--- ttir.mlir
// expected-error @below {{has unstructured control flow left}}
// expected-note @below {{phase 'ttir' may not hold this}}
// expected-note @below {{docs/supported-ops.md lists what is supported; please report a kernel that should be}}
tt.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  tt.return
}

// -----

// Of what is ours, only notes of checks come before accesses are recovered.
tt.func @later(%p: !tt.ptr<f32>, %o: i64) {
  // expected-error @below {{is of a later phase}}
  // expected-note @below {{phase 'ttir' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = tts.load %p[%o] strides [] : !tt.ptr<f32> -> f32
  tt.return
}

//--- structured.mlir
tt.func @load(%p: !tt.ptr<f32>) {
  // expected-error @below {{is an access that was not turned into a 'tts' operation}}
  // expected-note @below {{phase 'structured' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = tt.load %p : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @pointers(%p: !tt.ptr<f32>) {
  // expected-error @below {{holds a pointer that was not taken apart}}
  // expected-note @below {{phase 'structured' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  tt.return
}

//--- linalg.mlir
func.func @range() {
  // expected-error @below {{has no lowering to linalg}}
  // expected-note @below {{phase 'linalg' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  return
}

// -----

// expected-error @below {{holds a Triton pointer}}
// expected-note @below {{phase 'linalg' may not hold this}}
// expected-note @below {{docs/supported-ops.md}}
func.func @argument(%p: !tt.ptr<f32>) {
  return
}

//--- memref.mlir
func.func @access(%p: memref<*xf32>, %o: i64) {
  // expected-error @below {{was not lowered to memory and loops}}
  // expected-note @below {{phase 'memref' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = tts.load %p[%o] strides [] : memref<*xf32> -> f32
  return
}

// -----

// Upstream dialects only: who reads phase memref knows no others.
func.func @tile(%x: f32) {
  // expected-error @below {{is of a dialect that has no place here}}
  // expected-note @below {{phase 'memref' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %v = cta.splat %x : tensor<4xf32>
  return
}

//--- cta.mlir
func.func @registers(%x: f32) {
  // expected-error @below {{is of a dialect that has no place here}}
  // expected-note @below {{phase 'cta' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = vector.broadcast %x : f32 to vector<32xf32>
  return
}

// -----

func.func @layout(%x: f32) {
  // expected-error @below {{holds a tile without a layout}}
  // expected-note @below {{phase 'cta' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = cta.splat %x : tensor<32xf32>
  return
}

// -----

#two = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
func.func @warps(%x: f32) attributes {cta.num_warps = 4 : i32} {
  // expected-error @below {{holds a tile on another number of warps than its kernel has}}
  // expected-note @below {{phase 'cta' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = cta.splat %x : tensor<32xf32, #two>
  return
}

//--- gpu.mlir
#one = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
func.func @tile(%x: f32) {
  // expected-error @below {{was not distributed to threads}}
  // expected-note @below {{phase 'gpu' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = cta.splat %x : tensor<32xf32, #one>
  return
}

//--- llir.mlir
llvm.func @add(%x: i32) -> i32 {
  // expected-error @below {{is of a dialect that has no place here}}
  // expected-note @below {{phase 'llir' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = arith.addi %x, %x : i32
  llvm.return %0 : i32
}

// -----

llvm.func @cast(%x: i64) -> i64 {
  // expected-error @below {{was not converted to the LLVM dialect}}
  // expected-note @below {{phase 'llir' may not hold this}}
  // expected-note @below {{docs/supported-ops.md}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  %1 = builtin.unrealized_conversion_cast %0 : index to i64
  llvm.return %1 : i64
}

//--- option.mlir
// expected-error @below {{unknown value 'linag' of option 'phase'; use one of ttir, structured, linalg, memref, cta, gpu, llir}}
module {}
