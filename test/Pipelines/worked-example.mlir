// RUN: triton-shared-opt %s --triton-to-linalg | FileCheck %s --match-full-lines

// The example of the README: what it prints is a promise, so every line counts.
tt.func @kernel(%afloat : !tt.ptr<bf16>, %res : !tt.ptr<bf16>) {
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %1 = tt.splat %afloat : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %2 = tt.addptr %1, %0 : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  %afm = tt.load %2 : tensor<128x!tt.ptr<bf16>>
  %3 = "tt.reduce"(%afm) <{axis = 0 : i32}> ({
  ^bb0(%arg5: bf16, %arg6: bf16):
    %21 = arith.addf %arg5, %arg6 : bf16
    tt.reduce.return %21 : bf16
  }) : (tensor<128xbf16>) -> bf16
  tt.store %res, %3 : !tt.ptr<bf16>
  tt.return
}

//      CHECK:module {
// CHECK-NEXT:  func.func @kernel(%arg0: memref<*xbf16>, %arg1: memref<*xbf16>, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32) {
// CHECK-NEXT:    %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [128], strides: [1] : memref<*xbf16> to memref<128xbf16, strided<[1]>>
// CHECK-NEXT:    %alloc = memref.alloc() : memref<128xbf16>
// CHECK-NEXT:    memref.copy %reinterpret_cast, %alloc : memref<128xbf16, strided<[1]>> to memref<128xbf16>
// CHECK-NEXT:    %0 = bufferization.to_tensor %alloc restrict writable : memref<128xbf16> to tensor<128xbf16>
// CHECK-NEXT:    %1 = bufferization.alloc_tensor() : tensor<f32>
// CHECK-NEXT:    %inserted = tensor.insert %cst into %1[] : tensor<f32>
// CHECK-NEXT:    %reduced = linalg.reduce ins(%0 : tensor<128xbf16>) outs(%inserted : tensor<f32>) dimensions = [0] 
// CHECK-NEXT:      (%in: bf16, %init: f32) {
// CHECK-NEXT:        %3 = arith.extf %in : bf16 to f32
// CHECK-NEXT:        %4 = arith.addf %3, %init : f32
// CHECK-NEXT:        linalg.yield %4 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    %extracted = tensor.extract %reduced[] : tensor<f32>
// CHECK-NEXT:    %2 = arith.truncf %extracted : f32 to bf16
// CHECK-NEXT:    %reinterpret_cast_0 = memref.reinterpret_cast %arg1 to offset: [0], sizes: [1], strides: [1] : memref<*xbf16> to memref<1xbf16, strided<[1]>>
// CHECK-NEXT:    affine.store %2, %reinterpret_cast_0[0] : memref<1xbf16, strided<[1]>>
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK-NEXT:}
