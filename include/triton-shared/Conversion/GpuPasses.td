//===- GpuPasses.td - The way to a GPU ---------------------*- tablegen -*-===//
//
// Phase linalg -> cta -> gpu -> llir, for NVIDIA. In pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_CONVERSION_GPUPASSES
#define TRITON_SHARED_CONVERSION_GPUPASSES

include "mlir/Pass/PassBase.td"

def LinalgToCta : Pass<"linalg-to-cta", "::mlir::ModuleOp"> {
  let summary = "Turn tensors of linalg into tiles of a CTA";
  let description = [{
    | linalg                                  | becomes                         |
    |-----------------------------------------|---------------------------------|
    | `linalg.generic` over parallel loops    | its body on whole tiles, or `cta.map` if it has loops or branches |
    | the same with `tts.unpacks_e2m1`        | `cta.unpack_e2m1`               |
    | `linalg.index`                          | `cta.iota`                      |
    | `linalg.fill`                           | `cta.splat`                     |
    | `linalg.reduce`                         | `cta.reduce`, without its start where that is neutral |
    | `linalg.matmul`, `batch_matmul`         | `cta.dot`                       |
    | `tensor.expand_shape`, `collapse_shape` | `cta.reshape`                   |
    | `linalg.transpose`                      | `cta.transpose`                 |
    | slices, `tensor.extract` in a body      | `cta.lookup`                    |
    | `tts.scan`, `tts.histogram`             | `cta.scan`, `cta.histogram`; a loop if the region has effects, which are to happen for no other elements |
    | a number that is marked `tts.size`      | itself, after a `tts.assert` that it is not negative |

    Needs: phase `linalg`. Leaves: no linalg and no tensor operation; the GPU as
    `cta.target` and the number of warps as `cta.num_warps` on each function.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4",
           "warps that run one program (a power of two, up to 32)">,
    Option<"arch", "arch", "std::string", /*default=*/"\"90a\"",
           "the GPU, as LLVM writes it after sm_">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cta::CTADialect"
  ];
}

def CtaToGpu : Pass<"cta-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Write down what each thread does";
  let description = [{
    A tile becomes a vector of the elements that one thread holds, in the order
    of its registers:

    | tile                                 | thread                             |
    |--------------------------------------|------------------------------------|
    | `tensor<4x64xf32, #layout>`          | `vector<2xf32>`                    |
    | `tts.load`, `tts.store`              | loads and stores of up to 16 bytes |
    | `tts.atomic_rmw`                     | one update per element, or of up to 16 bytes of floats that are added |
    | `cta.unpack_e2m1`, bytes to f16 and bf16 | bytes that are looked up, or put below an exponent, by words |
    | `cta.reduce`                         | vector arithmetic, shuffles, shared memory |
    | `cta.convert_layout`, `cta.lookup`   | register moves or shared memory    |
    | `tts.read_machine`                   | a read of the special register, by each thread |
    | program ids                          | the block's index, and of the warp's where programs share a block |

    The kernel becomes a `gpu.func` in a `gpu.module` and loses the hidden
    parameters that say which program it is. With `cta.programs`, the size of the
    grid in x stays one: programs beyond it do nothing. Tensor maps stay.

    Needs: layouts and places in shared memory. Leaves: no tile, no `cta`, no
    `tts`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def GpuApproximateMath : Pass<"gpu-approximate-math"> {
  let summary = "Use the GPU's own instructions for division, roots and powers";
  let description = [{
    Of f32, on scalars and on the registers of a thread:

    | operation     | becomes                                              |
    |---------------|------------------------------------------------------|
    | `arith.divf`, unless it is `tts.precise` | `div.full`: 2 ulp         |
    | `llvm.nvvm.sqrt.rn.f`, unless it is `tts.precise` | `sqrt.approx`: 1 ulp |
    | `math.exp2`   | `ex2.approx.ftz`: 2 ulp, zero below the smallest normal number |
    | `math.exp`, unless it is `tts.precise`  | the same of the scaled operand |

    Left out with `precise=true`.

    Needs: phase `gpu`. Leaves: intrinsics of NVVM.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def GpuToNvvm : Pass<"gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower a kernel by upstream's conversion, with what it is passed";
  let description = [{
    By upstream's patterns for `gpu`, `nvvm`, `vector` and all that
    `upstream-to-llvm` knows, in one conversion. Upstream's `convert-gpu-to-nvvm`
    forgets what stands on the arguments of a kernel: those that hold tensor
    maps are passed by value, and stay where the launch has put them. Blocks
    that take a vector only to take it apart take its elements:

    | before                                           | after             |
    |--------------------------------------------------|-------------------|
    | `!llvm.ptr {tts.parameter = "tensor_map", …}`    | `!llvm.ptr {llvm.align = 64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}` |
    | `cf.br ^bb(%vector.from_elements)`               | `llvm.br ^bb(%first, %second, …)` |
    | `gpu.func`, `arith`, `math`, `vector` and so on  | as upstream's     |

    Needs: phase `gpu`, without `scf`. Leaves: the LLVM dialect and what of NVVM
    has an intrinsic, without names of hidden parameters.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // TRITON_SHARED_CONVERSION_GPUPASSES
