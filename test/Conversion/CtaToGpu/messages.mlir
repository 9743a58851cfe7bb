// RUN: triton-shared-opt %s --split-input-file --cta-allocate-shared --cta-to-gpu | FileCheck %s

// Prints and assertions become calls of what CUDA gives to kernels.

#once = #cta.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = []>

// Each register is a line; lanes that hold the same are silent but one. Percent
// signs of the user are no formats.
// CHECK:        llvm.mlir.global internal constant @[[SCALAR:.*]]("pid (%d, %d, %d) idx () 100%%: (operand 1) %lld\0A\00")
// CHECK:        llvm.mlir.global internal constant @[[BLOCK:.*]]("pid (%d, %d, %d) idx (%d, %d) 100%%: (operand 0) %f\0A\00")
// CHECK:        llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL:  gpu.func @print
// CHECK:          %[[FORMAT:.*]] = llvm.mlir.addressof @[[BLOCK]]
// CHECK:          scf.if
// CHECK:            %[[WIDE:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK:            llvm.store %[[WIDE]]
// CHECK:            llvm.call @vprintf(%[[FORMAT]],
// CHECK:            llvm.call @vprintf(%[[FORMAT]],
// CHECK:          %[[FORMAT:.*]] = llvm.mlir.addressof @[[SCALAR]]
// CHECK:          scf.if
// CHECK:            llvm.call @vprintf(%[[FORMAT]],
func.func @print(%x: f32, %n: i32, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %block = cta.splat %x : tensor<2x16xf32, #once>
  tts.print " 100%: " {hex = false, is_signed = array<i32: 0, 1>} : %block, %n : tensor<2x16xf32, #once>, i32
  return
}

// -----

#once = #cta.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = []>

// Threads with a false element report where it is; nobody overtakes them.
// CHECK-LABEL:  gpu.module
// CHECK-DAG:    llvm.mlir.global internal constant @[[TEXT:.*]]("must be so\00")
// CHECK-DAG:    llvm.mlir.global internal constant @[[FILE:.*]]("kernel.py\00")
// CHECK-DAG:    llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-LABEL:  gpu.func @check
// CHECK:          %[[FAILS:.*]] = arith.xori
// CHECK-NEXT:     scf.if %[[FAILS]] {
// CHECK:            llvm.call @__assertfail
// CHECK:          }
// CHECK-NEXT:     nvvm.barrier0
func.func @check(%c: i1, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  %block = cta.splat %c : tensor<2x16xi1, #once>
  tts.assert %block, "must be so" : tensor<2x16xi1, #once> loc("kernel.py":7:3)
  return
}

// -----

// What all threads know keeps each of them back by itself.
// CHECK-LABEL:  gpu.func @check_scalar
// CHECK:          scf.if
// CHECK:            llvm.call @__assertfail
// CHECK:          }
// CHECK-NEXT:     gpu.return
func.func @check_scalar(%c: i1, %n0: i32, %n1: i32, %n2: i32, %i0: i32, %i1: i32, %i2: i32) attributes {cta.num_warps = 1 : i32} {
  tts.assert %c, "must be so" : i1
  return
}
