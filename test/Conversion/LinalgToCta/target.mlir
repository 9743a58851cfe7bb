// Each function with code says which GPU it is made for, and by how many warps.
// RUN: triton-shared-opt %s --linalg-to-cta | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: triton-shared-opt %s --linalg-to-cta=arch=86 | FileCheck %s --check-prefixes=CHECK,AMPERE
// RUN: not triton-shared-opt %s --linalg-to-cta=arch=70 2>&1 | FileCheck %s --check-prefix=OLD

// OLD: a target is an NVIDIA GPU as in "sm_90a", from sm_80 on
// CHECK: func.func private @declared(f32) -> f32{{$}}
func.func private @declared(f32) -> f32
// HOPPER: func.func @kernel() attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_90a">}
// AMPERE: func.func @kernel() attributes {cta.num_warps = 4 : i32, cta.target = #cta.target<"sm_86">}
func.func @kernel() {
  return
}
