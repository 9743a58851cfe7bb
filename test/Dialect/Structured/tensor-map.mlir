// A kernel may have several tensor maps, each with what a launch makes it of.
// RUN: triton-shared-opt %s | triton-shared-opt | FileCheck %s

// Any dimension may be a parameter of the kernel or a constant.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: %{{.*}}: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 2, 4096], strides = [arg 3, 1], box = [128, 64], swizzle = 128, outside = zeros>}
// CHECK-SAME: %{{.*}}: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f8E4M3FN, base = arg 1, sizes = [7, 4294967296], strides = [32, 1], box = [1, 32], swizzle = 32, outside = zeros>}
// CHECK-SAME: %{{.*}}: i32 {tts.parameter = "tensor_maps.missing"}
func.func @matrices(
    %a: memref<*xf16>, %b: memref<*xi8>, %m: i32, %stride: i64,
    %x: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 2, 4096], strides = [arg 3, 1], box = [128, 64], swizzle = 128, outside = zeros>},
    %y: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f8E4M3FN, base = arg 1, sizes = [7, 0x100000000], strides = [32, 1], box = [1, 32], swizzle = 32, outside = zeros>},
    %is: i32 {tts.parameter = "tensor_maps.missing"}) {
  return
}

// What is outside of the tensor may be a parameter.
// CHECK-LABEL: func.func @padding(
// CHECK-SAME: swizzle = 0, outside = arg 1>
func.func @padding(
    %p: memref<*xf32>, %is_nan: i1,
    %x: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f32, base = arg 0, sizes = [9], strides = [1], box = [8], swizzle = 0, outside = arg 1>}) {
  return
}

// That bytes cannot be NaN, a launch finds.
// CHECK-LABEL: func.func @padding_of_bytes(
// CHECK-SAME: #tts.tensor_map<f8E5M2, {{.*}}, outside = arg 1>
func.func @padding_of_bytes(
    %p: memref<*xf8E5M2>, %is_nan: i1,
    %x: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f8E5M2, base = arg 0, sizes = [9], strides = [1], box = [16], swizzle = 0, outside = arg 1>}) {
  return
}

// From one dimension to five.
// CHECK-LABEL: func.func @ranks(
// CHECK-SAME: #tts.tensor_map<f64, base = arg 0, sizes = [arg 1], strides = [1], box = [256], swizzle = 0, outside = nan>
// CHECK-SAME: #tts.tensor_map<i32, base = arg 0, sizes = [1, 2, 3, 4, arg 1], strides = [0, 64, 16, 8, 1], box = [1, 1, 1, 1, 8], swizzle = 32, outside = zeros>
func.func @ranks(
    %p: memref<*xf64>, %n: i32,
    %x: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f64, base = arg 0, sizes = [arg 1], strides = [1], box = [256], swizzle = 0, outside = nan>},
    %y: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<i32, base = arg 0, sizes = [1, 2, 3, 4, arg 1], strides = [0, 64, 16, 8, 1], box = [1, 1, 1, 1, 8], swizzle = 32, outside = zeros>}) {
  return
}
