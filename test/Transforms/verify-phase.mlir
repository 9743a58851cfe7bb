// RUN: triton-shared-opt %s --verify-phase=phase=ttir --split-input-file | FileCheck %s

// What a phase may hold passes unchanged.
// CHECK-LABEL: tt.func @load(
// CHECK:         tt.load
tt.func @load(%p: !tt.ptr<f32>) -> f32 {
  %v = tt.load %p : !tt.ptr<f32>
  tt.return %v : f32
}
