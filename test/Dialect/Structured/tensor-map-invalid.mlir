// What no tensor map can be, and what no kernel can have one of.
// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a size of 0; sizes are 1 to 2^32}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [0], strides = [1], box = [8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{the last stride is not the constant 1}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [arg 1], box = [8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{a stride of 12 elements; strides are multiples of 16 bytes, below 2^40}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8, 8], strides = [12, 1], box = [8, 8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{a stride of 274877906944 elements; strides are multiples of 16 bytes, below 2^40}}
#map = #tts.tensor_map<f32, base = arg 0, sizes = [8, 8], strides = [274877906944, 1], box = [8, 8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{a box of 257 elements along a dimension; 1 to 256 are copied}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8, 8], strides = [16, 1], box = [257, 8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{rows of the box have 8 bytes, no multiple of 16}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [4], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{rows of the box have 128 bytes, not the swizzle's 64}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [64], swizzle = 64, outside = zeros>

// -----

// expected-error @below {{rows of the box have 32 bytes, not the swizzle's 64}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [16], swizzle = 64, outside = zeros>

// -----

// expected-error @below {{a swizzle of 16 bytes; there are those of 0, 32, 64 and 128}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 16, outside = zeros>

// -----

// expected-error @below {{no tensor map has elements of type 'i1'}}
#map = #tts.tensor_map<i1, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{6 dimensions; a tensor map has 1 to 5}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8, 8, 8, 8, 8, 8], strides = [8, 8, 8, 8, 8, 1], box = [1, 1, 1, 1, 1, 8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{2 sizes, 1 strides and a box of 2 dimensions do not go together}}
#map = #tts.tensor_map<f16, base = arg 0, sizes = [8, 8], strides = [1], box = [1, 8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{elements of type 'i32' are filled with zeros only}}
#map = #tts.tensor_map<i32, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = nan>

// -----

// expected-error @below {{elements of type 'f8E5M2' are filled with zeros only}}
#map = #tts.tensor_map<f8E5M2, base = arg 0, sizes = [8], strides = [1], box = [16], swizzle = 0, outside = nan>

// -----

// expected-error @below {{outside of the tensor are 'zeros', 'nan' or what a parameter says, not 'ones'}}
#map = #tts.tensor_map<i32, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = ones>

// -----

// expected-error @below {{the base is a parameter: 'arg' and its number}}
#map = #tts.tensor_map<i32, base = 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{parameters are counted from 0}}
#map = #tts.tensor_map<i32, base = arg 0, sizes = [arg -1], strides = [1], box = [8], swizzle = 0, outside = zeros>

// -----

// expected-error @below {{has the argument 2 for a tensor map, but not what it is made of}}
// expected-note @below {{the attribute 'tts.tensor_map' tells that}}
func.func @kernel(%p: memref<*xf16>, %n: i32, %m: !llvm.ptr {tts.parameter = "tensor_map"}) {
  return
}

// -----

// expected-error @below {{has the argument 2 with 'tts.tensor_map' that is no hidden parameter 'tensor_map'}}
func.func @kernel(%p: memref<*xf16>, %n: i32, %m: !llvm.ptr {tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>}) {
  return
}

// -----

// expected-error @below {{cannot have the tensor map of argument 2: it has to be an '!llvm.ptr'}}
func.func @kernel(%p: memref<*xf16>, %n: i32, %m: !llvm.ptr<1> {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>}) {
  return
}

// -----

// expected-error @below {{has the argument 2 for a tensor map, but not what it is made of}}
// expected-note @below {{the attribute 'tts.tensor_map' tells that}}
func.func @kernel(%p: memref<*xf16>, %n: i32, %m: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = 1 : i32}) {
  return
}

// -----

// expected-error @below {{cannot have the tensor map of argument 2: its base, parameter 0, is no written pointer}}
func.func @kernel(%p: i64, %n: i32, %m: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>}) {
  return
}

// -----

// expected-error @below {{cannot have the tensor map of argument 2: a size or stride, parameter 1, is no written integer}}
func.func @kernel(%p: memref<*xf16>, %n: f32, %m: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>}) {
  return
}

// -----

// expected-error @below {{cannot have the tensor map of argument 2: a size or stride, parameter 1, is no written integer}}
func.func @kernel(%p: memref<*xf16>, %n: i32 {tts.parameter = "grid.x"}, %m: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>}) {
  return
}

// -----

// expected-error @below {{cannot have the tensor map of argument 2: what is outside, parameter 1, is no written i1}}
func.func @kernel(%p: memref<*xf16>, %n: i32, %m: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = arg 1>}) {
  return
}
