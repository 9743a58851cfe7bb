// RUN: triton-shared-opt %s --gpu-approximate-math | FileCheck %s
// RUN: triton-shared-opt %s --gpu-approximate-math | FileCheck %s --check-prefix=EXACT

// Instructions of the GPU stand for division, roots and powers of f32, and for nothing else.

// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.full"(%[[X]], %[[Y]])
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[X]]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[SCALED]])
func.func @scalars(%x: f32, %y: f32) -> (f32, f32) {
  %q = arith.divf %x, %y : f32
  %e = math.exp %x : f32
  return %q, %e : f32, f32
}

// Each register by itself.
// CHECK-LABEL: func.func @registers(
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK:         vector.from_elements
func.func @registers(%x: vector<2xf32>) -> vector<2xf32> {
  %e = math.exp2 %x : vector<2xf32>
  return %e : vector<2xf32>
}

// What must be exact stays, and so does f64.
// EXACT-LABEL: func.func @exact(
// EXACT:         arith.divf %{{.*}} {tts.precise} : f32
// EXACT:         math.exp %{{.*}} {tts.precise} : f32
// EXACT:         arith.divf %{{.*}} : f64
func.func @exact(%x: f32, %y: f32, %a: f64, %b: f64) -> (f32, f32, f64) {
  %q = arith.divf %x, %y {tts.precise} : f32
  %e = math.exp %x {tts.precise} : f32
  %r = arith.divf %a, %b : f64
  return %q, %e, %r : f32, f32, f64
}

// CHECK-LABEL: func.func @roots(
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"{{.*}}tts.precise
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"
func.func @roots(%x: f32, %y: f64) -> (f32, f32, f64) {
  %a = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%x) : (f32) -> f32
  %b = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%x) {tts.precise} : (f32) -> f32
  %c = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"(%y) : (f64) -> f64
  return %a, %b, %c : f32, f32, f64
}
