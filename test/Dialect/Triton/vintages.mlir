// RUN: split-file %s %t
// RUN: triton-shared-opt %t/old.mlir | FileCheck %s --check-prefix=OLD
// RUN: triton-shared-opt %t/new.mlir | FileCheck %s --check-prefix=NEW
// RUN: triton-shared-opt %t/old.mlir --tt-vintage=3.9 | FileCheck %s --check-prefix=NEW
// RUN: triton-shared-opt %t/new.mlir --tt-vintage=3.6 | FileCheck %s --check-prefix=OLD
// RUN: triton-shared-opt %t/generic.mlir | FileCheck %s --check-prefix=NEW
// RUN: triton-shared-opt %t/old.mlir --verify-roundtrip --tt-vintage=3.9
// RUN: triton-shared-opt %t/new.mlir --verify-roundtrip --tt-vintage=3.6

// Two spellings of the same program. Either is read; what is printed is the
// spelling that was read, or the one that was asked for.

// OLD: tt.func @spellings(%[[P:.*]]: !tt.ptr<f32, 4>, %[[D:.*]]: !tt.tensordesc<tensor<8x16xsi32>>, %[[I:.*]]: i32)
// OLD: tt.load %[[P]] cacheModifier = ca evictionPolicy = evict_first : !tt.ptr<f32, 4>
// OLD: tt.load %[[P]] cacheModifier = cg {isVolatile = true} : !tt.ptr<f32, 4>
// OLD: tt.descriptor_load %[[D]][%[[I]], %[[I]]] evictionPolicy = evict_last : !tt.tensordesc<tensor<8x16xsi32>> -> tensor<8x16xi32>

// NEW: tt.func @spellings(%[[P:.*]]: !tt.ptr<f32, "constant">, %[[D:.*]]: !tt.tensordesc<8x16xsi32>, %[[I:.*]]: i32)
// NEW: tt.load %[[P]] {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>} : !tt.ptr<f32, "constant">
// NEW: tt.load %[[P]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true} : !tt.ptr<f32, "constant">
// NEW: tt.descriptor_load %[[D]][%[[I]], %[[I]]] {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>

//--- old.mlir
tt.func @spellings(%p: !tt.ptr<f32, 4>, %d: !tt.tensordesc<tensor<8x16xsi32>>, %i: i32) {
  %0 = tt.load %p cacheModifier = ca evictionPolicy = evict_first : !tt.ptr<f32, 4>
  %1 = tt.load %p cacheModifier = cg {isVolatile = true} : !tt.ptr<f32, 4>
  %2 = tt.descriptor_load %d[%i, %i] evictionPolicy = evict_last : !tt.tensordesc<tensor<8x16xsi32>> -> tensor<8x16xi32>
  tt.return
}

//--- new.mlir
tt.func @spellings(%p: !tt.ptr<f32, "constant">, %d: !tt.tensordesc<8x16xsi32>, %i: i32) {
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>} : !tt.ptr<f32, "constant">
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true} : !tt.ptr<f32, "constant">
  %2 = tt.descriptor_load %d[%i, %i] {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  tt.return
}

//--- generic.mlir
"tt.func"() <{function_type = (!tt.ptr<f32, "constant">, !tt.tensordesc<8x16xsi32>, i32) -> (), sym_name = "spellings"}> ({
^bb0(%p: !tt.ptr<f32, "constant">, %d: !tt.tensordesc<8x16xsi32>, %i: i32):
  %0 = "tt.load"(%p) <{cache = 2 : i32, evict = 2 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32, "constant">) -> f32
  %1 = "tt.load"(%p) <{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32, "constant">) -> f32
  %2 = "tt.descriptor_load"(%d, %i, %i) <{cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>}> : (!tt.tensordesc<8x16xsi32>, i32, i32) -> tensor<8x16xi32>
  "tt.return"() : () -> ()
}) : () -> ()
