// RUN: triton-shared-opt %s --verify-roundtrip | FileCheck %s

// Each operation of the dialect is printed as it was written.

// The program.
// CHECK-LABEL: tt.func @program(
tt.func @program(%x: i32, %b: tensor<4xf32>, %c: i1) {
  // CHECK: %{{.*}} = tt.get_program_id y : i32
  %0 = tt.get_program_id y : i32
  // CHECK: %{{.*}} = tt.get_num_programs z : i32
  %1 = tt.get_num_programs z : i32
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : i32, tensor<4xf32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1, 0>} : %x, %b : i32, tensor<4xf32>
  // CHECK: tt.print " text" {hex = true, isSigned = array<i32>}
  tt.print " text" {hex = true, isSigned = array<i32>}
  // CHECK: tt.assert %{{.*}}, "c holds" : i1
  tt.assert %c, "c holds" : i1
  // CHECK: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK: ttg.barrier local|global_write
  ttg.barrier local|global_write
  // CHECK: %{{.*}} = tt.call @"lib.f__(1,)cconstexpr_3_"(%{{.*}}, %{{.*}}) : (i32, tensor<4xf32>) -> (tensor<4xf32>, i32)
  %2:2 = tt.call @"lib.f__(1,)cconstexpr_3_"(%x, %b) : (i32, tensor<4xf32>) -> (tensor<4xf32>, i32)
  tt.return
}
// Names that are no identifiers are quoted.
// CHECK-LABEL: tt.func private @"lib.f__(1,)cconstexpr_3_"(
// CHECK-SAME:    %{{.*}}: i32 {tt.divisibility = 16 : i32}, %{{.*}}: tensor<4xf32>) -> (tensor<4xf32>, i32) attributes {noinline = true} {
tt.func private @"lib.f__(1,)cconstexpr_3_"(%x: i32 {tt.divisibility = 16 : i32}, %b: tensor<4xf32>) -> (tensor<4xf32>, i32) attributes {noinline = true} {
  // CHECK: tt.return %{{.*}}, %{{.*}} : tensor<4xf32>, i32
  tt.return %b, %x : tensor<4xf32>, i32
}

// Pointers.
// CHECK-LABEL: tt.func @pointers(
tt.func @pointers(%p: !tt.ptr<f32>, %ps: tensor<4x!tt.ptr<f32>>, %i: i32, %js: tensor<4xi64>, %j: i64) {
  // CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  // CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} {tt.contiguity = dense<4> : tensor<1xi32>} : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
  %1 = tt.addptr %ps, %js {tt.contiguity = dense<4> : tensor<1xi32>} : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
  // CHECK: %{{.*}} = tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %j : i64 -> !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.ptr_to_int %{{.*}} : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
  %3 = tt.ptr_to_int %ps : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<4x!tt.ptr<f32>> -> tensor<4x!tt.ptr<i32>>
  %4 = tt.bitcast %ps : tensor<4x!tt.ptr<f32>> -> tensor<4x!tt.ptr<i32>>
  tt.return
}
// Loads and stores.
// CHECK-LABEL: tt.func @accesses(
tt.func @accesses(%p: !tt.ptr<f32>, %ps: tensor<4x!tt.ptr<f32>>, %m: i1, %ms: tensor<4xi1>, %x: f32, %xs: tensor<4xf32>) {
  // CHECK: %{{.*}} = tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %p, %m, %x : !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}} : tensor<4x!tt.ptr<f32>>
  %2 = tt.load %ps, %ms : tensor<4x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} {isVolatile = true} : tensor<4x!tt.ptr<f32>>
  %3 = tt.load %ps, %ms, %xs {isVolatile = true} : tensor<4x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x!tt.ptr<f32>>
  tt.store %ps, %xs, %ms : tensor<4x!tt.ptr<f32>>
  tt.return
}
// Atomics.
// CHECK-LABEL: tt.func @atomics(
tt.func @atomics(%p: !tt.ptr<i32>, %ps: tensor<4x!tt.ptr<f32>>, %m: i1, %ms: tensor<4xi1>, %x: i32, %xs: tensor<4xf32>, %t: i64) {
  // CHECK: %{{.*}} = tt.atomic_rmw umax, acquire, cta, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i1) -> i32
  %0 = tt.atomic_rmw umax, acquire, cta, %p, %x, %m : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK: %{{.*}} = tt.atomic_rmw fadd, relaxed, sys, %{{.*}}, %{{.*}} : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tt.atomic_rmw fadd, relaxed, sys, %ps, %xs : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %{{.*}} = tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
  %2 = tt.atomic_cas acq_rel, gpu, %p, %x, %x : (!tt.ptr<i32>, i32, i32) -> i32
  // CHECK: %{{.*}} = tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<4x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<4xf32>
  %3 = tt.atomic_load acquire, gpu, %ps, %ms : (tensor<4x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<4xf32>
  // CHECK: tt.atomic_store release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x!tt.ptr<f32>>
  tt.atomic_store release, gpu, %ps, %xs, %ms : tensor<4x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} timeout %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %4 = tt.atomic_poll acquire, gpu, %p, %x timeout %t : !tt.ptr<i32>, i32 -> i1
  // CHECK: %{{.*}} = tt.atomic_poll relaxed, cta, %{{.*}}, %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %5 = tt.atomic_poll relaxed, cta, %p, %x : !tt.ptr<i32>, i32 -> i1
  tt.return
}
// Making and rearranging blocks.
// CHECK-LABEL: tt.func @shapes(
tt.func @shapes(%x: f32, %b: tensor<4x8xf32>, %one: tensor<1xf32>, %i: tensor<4x8xi32>, %h: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK: %{{.*}} = tt.make_range {end = 12 : i32, start = 4 : i32} : tensor<8xi32>
  %0 = tt.make_range {end = 12 : i32, start = 4 : i32} : tensor<8xi32>
  // CHECK: %{{.*}} = tt.splat %{{.*}} : f32 -> tensor<8xf32>
  %1 = tt.splat %x : f32 -> tensor<8xf32>
  // CHECK: %{{.*}} = tt.unsplat %{{.*}} : tensor<1xf32>
  %2 = tt.unsplat %one : tensor<1xf32>
  // CHECK: %{{.*}} = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: %{{.*}} = tt.broadcast %{{.*}} : tensor<1x8xf32> -> tensor<4x8xf32>
  %4 = tt.broadcast %3 : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %5 = tt.reshape %b : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  %6 = tt.reshape %b allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: %{{.*}} = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %7 = tt.trans %b {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: %{{.*}} = tt.cat %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<16xf32>
  %8 = tt.cat %1, %1 : tensor<8xf32> -> tensor<16xf32>
  // CHECK: %{{.*}} = tt.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %9 = tt.join %b, %b : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %10, %11 = tt.split %9 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.gather %{{.*}}[%{{.*}}] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %12 = tt.gather %b[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.histogram %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %13 = tt.histogram %h, %m : tensor<8xi32> -> tensor<16xi32>
  tt.return
}
// Arithmetic on elements.
// CHECK-LABEL: tt.func @elements(
tt.func @elements(%x: f32, %xs: tensor<8xf32>, %hs: tensor<8xf16>, %is: tensor<8xi32>) {
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<8xf32> -> tensor<8xi32>
  %0 = tt.bitcast %xs : tensor<8xf32> -> tensor<8xi32>
  // CHECK: %{{.*}} = tt.fp_to_fp %{{.*}} : tensor<8xf16> -> tensor<8xf32>
  %1 = tt.fp_to_fp %hs : tensor<8xf16> -> tensor<8xf32>
  // CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %2 = tt.fp_to_fp %xs, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK: %{{.*}} = tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : f32
  %3 = tt.clampf %x, %x, %x, propagateNan = none : f32
  // CHECK: %{{.*}} = tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %4 = tt.precise_sqrt %xs : tensor<8xf32>
  // CHECK: %{{.*}} = tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %5 = tt.precise_divf %xs, %xs : tensor<8xf32>
  // CHECK: %{{.*}} = tt.approx_divf %{{.*}}, %{{.*}} : f32
  %6 = tt.approx_divf %x, %x : f32
  // CHECK: %{{.*}} = tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %7 = tt.mulhiui %is, %is : tensor<8xi32>
  // CHECK: %{{.*}} = tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %8 = tt.extern_elementwise %xs, %xs {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %{{.*}} = tt.elementwise_inline_asm "nop;" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
  %9:2 = tt.elementwise_inline_asm "nop;" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %is : tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
  // CHECK: %{{.*}} = tt.elementwise_inline_asm "nop;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %10 = tt.elementwise_inline_asm "nop;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: %{{.*}} = "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
  %11 = "tt.map_elementwise"(%is) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
// Products, sums and scans.
// CHECK-LABEL: tt.func @reductions(
tt.func @reductions(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %q: tensor<16x16xi8>, %r: tensor<32x16xf8E5M2>, %s: tensor<16x1xi8>) {
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  // CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e2m1 rhs = e5m2 {fastMath = true} : tensor<16x16xi8>, tensor<16x1xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %2 = tt.dot_scaled %q scale %s, %r, %c lhs = e2m1 rhs = e5m2 {fastMath = true} : tensor<16x16xi8>, tensor<16x1xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  // CHECK: %{{.*}} = "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
  %3:2 = "tt.reduce"(%c, %c) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    tt.reduce.return %x, %w : f32, f32
  }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  // CHECK: %{{.*}} = "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  %4 = "tt.scan"(%c) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.scan.return %z : f32
  }) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  tt.return
}
