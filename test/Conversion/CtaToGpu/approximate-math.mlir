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

// What PTX asks for as an approximation is the instruction; what it flushes, the instruction flushes.
// CHECK-LABEL: func.func @asked_for(
// CHECK-SAME:    %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[X]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sin.approx.f"(%[[X]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.cos.approx.f"(%[[X]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[X]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"(%[[X]])
// CHECK:         llvm.inline_asm "tanh.approx.f32 $0, $1;", "=f,f" %[[X]]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.approx.f"(%[[X]], %[[Y]])
// CHECK:         llvm.inline_asm "rcp.approx.f32 $0, $1;", "=f,f" %[[Y]]
func.func @asked_for(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %a = math.log2 %x {tts.approximate} : f32
  %b = math.sin %x {tts.approximate} : f32
  %c = math.cos %x {tts.approximate} : f32
  %d = math.rsqrt %x {tts.approximate} : f32
  %e = math.sqrt %x {tts.approximate} : f32
  %f = math.tanh %x {tts.approximate} : f32
  %g = arith.divf %x, %y {tts.approximate} : f32
  %h = arith.divf %one, %y {tts.approximate} : f32
  return %a, %b, %c, %d, %e, %f, %g, %h : f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @flushed(
// CHECK-SAME:    %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32
// CHECK:         %[[LOG:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
// CHECK:         %[[OTHER:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[Y]])
// CHECK:         %[[KEPT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OTHER]] : f32
// CHECK:         %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[Y]])
// CHECK:         %[[ONE_OVER:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[X]])
// CHECK:         return %[[LOG]], %[[KEPT]], %[[POWER]], %[[ONE_OVER]]
func.func @flushed(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %least = arith.constant 1.17549435E-38 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %size = math.absf %x : f32
  %is_tiny = arith.cmpf olt, %size, %least : f32
  %no = math.copysign %zero, %x : f32
  %in = arith.select %is_tiny, %no, %x : f32
  %a = math.log2 %in {tts.approximate} : f32
  %size_a = math.absf %a : f32
  %is_tiny_a = arith.cmpf olt, %size_a, %least : f32
  %no_a = math.copysign %zero, %a : f32
  %out_a = arith.select %is_tiny_a, %no_a, %a : f32
  // Only the result is flushed.
  %b = math.log2 %y {tts.approximate} : f32
  %size_b = math.absf %b : f32
  %is_tiny_b = arith.cmpf olt, %size_b, %least : f32
  %no_b = math.copysign %zero, %b : f32
  %out_b = arith.select %is_tiny_b, %no_b, %b : f32
  %e = math.exp2 %y : f32
  %size_e = math.absf %e : f32
  %is_tiny_e = arith.cmpf olt, %size_e, %least : f32
  %no_e = math.copysign %zero, %e : f32
  %out_e = arith.select %is_tiny_e, %no_e, %e : f32
  %r = arith.divf %one, %in {tts.approximate} : f32
  %size_r = math.absf %r : f32
  %is_tiny_r = arith.cmpf olt, %size_r, %least : f32
  %no_r = math.copysign %zero, %r : f32
  %out_r = arith.select %is_tiny_r, %no_r, %r : f32
  return %out_a, %out_b, %out_e, %out_r : f32, f32, f32, f32
}
