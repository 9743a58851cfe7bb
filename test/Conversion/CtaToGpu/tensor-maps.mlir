// Tensor maps stay parameters of the kernel, whatever becomes of the other
// hidden ones, and are passed by value.
// RUN: triton-shared-opt %s --cta-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: triton-shared-opt %s --target=cuda:90a --to-phase=llir | FileCheck %s --check-prefix=LLIR
// RUN: triton-shared-opt %s --target=cuda:90a --to-phase=ptx | FileCheck %s --check-prefix=PTX

// GPU: gpu.func @copy(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %[[MAP:[^:]*]]: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1, 64], strides = [64, 1], box = [16, 64], swizzle = 128, outside = zeros>},
// GPU-SAME: %{{.*}}: i32 {tts.parameter = "tensor_maps.missing"},
// GPU-SAME: %{{.*}}: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = nan>}) kernel
// GPU: nvvm.prefetch tensormap, %[[MAP]]

// LLIR: llvm.func @copy(%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// LLIR-SAME: %arg3: i32,
// LLIR-SAME: %arg4: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})

// PTX: .visible .entry copy(
// PTX: .param .align 64 .b8 copy_param_2[128],
// PTX: .param .u32 copy_param_3,
// PTX: .param .align 64 .b8 copy_param_4[128]
// PTX: prefetch{{.*}}.tensormap
func.func @copy(
    %p: memref<*xf16>, %n: i32,
    %gx: i32 {tts.parameter = "grid.x"}, %gy: i32 {tts.parameter = "grid.y"}, %gz: i32 {tts.parameter = "grid.z"},
    %x: i32 {tts.parameter = "program.x"}, %y: i32 {tts.parameter = "program.y"}, %z: i32 {tts.parameter = "program.z"},
    %map: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1, 64], strides = [64, 1], box = [16, 64], swizzle = 128, outside = zeros>},
    %is: i32 {tts.parameter = "tensor_maps.missing"},
    %other: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [8], strides = [1], box = [8], swizzle = 0, outside = nan>})
    attributes {cta.num_warps = 4 : i32, cta.shared = 0 : i64} {
  nvvm.prefetch tensormap, %map : !llvm.ptr
  return
}
