// Floats side by side that are added to memory, as far as one instruction can.
// RUN: split-file %s %t
// RUN: triton-shared-opt %t/new.mlir --cta-to-gpu | FileCheck %s
// RUN: triton-shared-opt %t/old.mlir --cta-to-gpu | FileCheck %s --check-prefix=OLD

//--- new.mlir
#l = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// All of a group are below the bound, or none is.
// CHECK-LABEL: gpu.func @uniform(
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"@$5 red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b,~{memory}"
// CHECK-NOT:     red.
// CHECK:         gpu.return
func.func @uniform(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i64 {tt.divisibility = 16 : i32}, %v: f32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %values = cta.splat %v : tensor<128xf32, #l>
  %index = cta.iota 0 : tensor<128xindex, #l>
  %offsets = arith.index_cast %index : tensor<128xindex, #l> to tensor<128xi64, #l>
  %bound = cta.splat %n : tensor<128xi64, #l>
  %mask = arith.cmpi slt, %offsets, %bound : tensor<128xi64, #l>
  %old = tts.atomic_rmw fadd relaxed gpu %values at %p[%offsets] mask %mask : tensor<128xi1, #l> : tensor<128xf32, #l>, memref<*xf32>, tensor<128xi64, #l>
  return
}

// The bound may cut through a group: then its first ones are added alone.
// CHECK-LABEL: gpu.func @cut(
// CHECK:         llvm.inline_asm {{.*}}"@$3 red.relaxed.gpu.global.add.noftz.v2.f16x2 [$0], {$1, $2};"
// CHECK:         scf.if
// CHECK-COUNT-4:   red.relaxed.gpu.global.add.noftz.f16 [$0], $1;
// CHECK:         gpu.return
func.func @cut(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i64, %v: f16, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %values = cta.splat %v : tensor<128xf16, #l>
  %index = cta.iota 0 : tensor<128xindex, #l>
  %offsets = arith.index_cast %index : tensor<128xindex, #l> to tensor<128xi64, #l>
  %bound = cta.splat %n : tensor<128xi64, #l>
  %mask = arith.cmpi slt, %offsets, %bound : tensor<128xi64, #l>
  %old = tts.atomic_rmw fadd relaxed gpu %values at %p[%offsets] mask %mask : tensor<128xi1, #l> : tensor<128xf16, #l>, memref<*xf16>, tensor<128xi64, #l>
  return
}

// Rows begin at multiples of eight bytes only: two at once, and nothing before or behind all of them but what orders asks for.
// CHECK-LABEL: gpu.func @rows(
// CHECK:         llvm.fence syncscope("device") acq_rel
// CHECK-COUNT-2: "red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};", "l,r,r,~{memory}"
// CHECK-NOT:     red.
// CHECK:         llvm.fence syncscope("device") acq_rel
#m = #cta.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
func.func @rows(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 2 : i32}, %v: f32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_90a">} {
  %values = cta.splat %v : tensor<8x16xf32, #m>
  %i = cta.iota 0 : tensor<8x16xindex, #m>
  %j = cta.iota 1 : tensor<8x16xindex, #m>
  %row = arith.index_cast %i : tensor<8x16xindex, #m> to tensor<8x16xi64, #m>
  %column = arith.index_cast %j : tensor<8x16xindex, #m> to tensor<8x16xi64, #m>
  %strides = cta.splat %stride : tensor<8x16xi64, #m>
  %begin = arith.muli %row, %strides : tensor<8x16xi64, #m>
  %offsets = arith.addi %begin, %column : tensor<8x16xi64, #m>
  %old = tts.atomic_rmw fadd acq_rel gpu %values at %p[%offsets] : tensor<8x16xf32, #m>, memref<*xf32>, tensor<8x16xi64, #m>
  %c0 = arith.constant 0 : i64
  tts.store %v to %p[%c0] strides [] : f32, memref<*xf32>
  return
}

//--- old.mlir
#l = #cta.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// OLD-LABEL: gpu.func @one_by_one(
// OLD-COUNT-4: red.relaxed.gpu.global.add.f32 [$0], $1;
func.func @one_by_one(%p: memref<*xf32> {tt.divisibility = 16 : i32}, %v: f32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, cta.target = #cta.target<"sm_80">} {
  %values = cta.splat %v : tensor<128xf32, #l>
  %index = cta.iota 0 : tensor<128xindex, #l>
  %offsets = arith.index_cast %index : tensor<128xindex, #l> to tensor<128xi64, #l>
  %old = tts.atomic_rmw fadd relaxed gpu %values at %p[%offsets] : tensor<128xf32, #l>, memref<*xf32>, tensor<128xi64, #l>
  return
}
