// Every phase that one can stop at, and that what it leaves can be read again.
//
// RUN: triton-shared-opt %s --to-phase=ttir | FileCheck %s --check-prefix=TTIR
// RUN: triton-shared-opt %s --to-phase=structured | FileCheck %s --check-prefix=STRUCTURED
// RUN: triton-shared-opt %s --to-phase=linalg | FileCheck %s --check-prefix=LINALG
// RUN: triton-shared-opt %s --to-phase=memref | FileCheck %s --check-prefix=MEMREF
// RUN: triton-shared-opt %s --to-phase=llir | FileCheck %s --check-prefix=LLIR

// The dumps of one run, each taken to the end, give the same as the run.
//
// RUN: rm -rf %t && triton-shared-opt %s --to-phase=llir --dump-phases-to=%t > %t.end
// RUN: triton-shared-opt %t/01.ttir.mlir --to-phase=llir | diff %t.end -
// RUN: triton-shared-opt %t/02.structured.mlir --to-phase=llir | diff %t.end -
// RUN: triton-shared-opt %t/03.linalg.mlir --to-phase=llir | diff %t.end -
// RUN: triton-shared-opt %t/04.memref.mlir --to-phase=llir | diff %t.end -

// What leads to code is written, shown and timed as well.
//
// RUN: env MLIR_ENABLE_DUMP=1 triton-shared-opt %s --to-phase=obj --dump-phases-to=%t.code --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHOWN
// RUN: diff %t/04.memref.mlir %t.code/04.memref.mlir
// SHOWN: IR Dump
// SHOWN: Execution time report

// The pipeline by name, by its old name, and up to the fork of CPU and GPU.
//
// RUN: triton-shared-opt %s --triton-to-linalg | FileCheck %s --check-prefix=MEMREF
// RUN: triton-shared-opt %s --triton-to-linalg-experimental | FileCheck %s --check-prefix=MEMREF
// RUN: triton-shared-opt %s --triton-to-linalg=accesses=structured | FileCheck %s --check-prefix=LINALG

// RUN: not triton-shared-opt %s --to-phase=linag 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown phase 'linag'; use one of ttir, structured, linalg, memref, cta, gpu, llir, obj, ptx, cubin

// RUN: not triton-shared-opt %t/04.memref.mlir --to-phase=ttir 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: error: is in phase 'memref', which does not lead to 'ttir'; the way to the CPU is ttir, structured, linalg, memref, llir, obj

// TTIR-LABEL:       tt.func @negate(
// TTIR:               tt.load
// STRUCTURED-LABEL: tt.func @negate(
// STRUCTURED:         tts.load %{{.*}} strides [1]
// STRUCTURED:         arith.negf
// LINALG-LABEL:     func.func @negate(
// LINALG-SAME:        memref<*xf32>, %{{.*}}: i32 {tts.parameter = "grid.x"}
// LINALG:             tts.load
// LINALG:             linalg.generic
// MEMREF-LABEL:     func.func @negate(
// MEMREF-SAME:        memref<*xf32>, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32)
// MEMREF:             memref.reinterpret_cast
// MEMREF:             bufferization.materialize_in_destination
// LLIR:             llvm.func @negate.entry(
// LLIR-SAME:          {tts.parameter = "programs.running"})
tt.func @negate(%p: !tt.ptr<f32>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %a = tt.addptr %s, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %a : tensor<8x!tt.ptr<f32>>
  %n = arith.negf %v : tensor<8xf32>
  tt.store %a, %n : tensor<8x!tt.ptr<f32>>
  tt.return
}
