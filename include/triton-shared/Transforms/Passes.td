//===- Passes.td - Rewrites within a phase -----------------*- tablegen -*-===//
//
// In the order in which the pipelines run them. Conversions between phases are
// in Conversion/Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_PASSES
#define TRITON_SHARED_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Phase ttir
//===----------------------------------------------------------------------===//

def TritonStructureControlFlow
    : Pass<"triton-structure-control-flow", "::mlir::ModuleOp"> {
  let summary = "Turn branches between blocks into regions";
  let description = [{
    A kernel that returns early comes as blocks and branches; the analyses and
    lowerings read regions. Blocks that nothing reaches are dropped.

    | Triton                                    | becomes            |
    |-------------------------------------------|--------------------|
    | `cf.cond_br`                              | `scf.if`           |
    | `cf.switch`                               | `scf.index_switch` |
    | a branch to a block before it             | `scf.while`        |
    | several `tt.return`                       | one                |

    For example

    ```mlir
      cf.cond_br %done, ^bb1, ^bb2
    ^bb1:
      tt.return
    ^bb2:
      tt.store %p, %x : !tt.ptr<f32>
      tt.return
    ```

    becomes

    ```mlir
      scf.if %done {
      } else {
        tt.store %p, %x : !tt.ptr<f32>
      }
      tt.return
    ```

    Needs: nothing. Leaves: one block in each `tt.func`, and in the region of
    each `tt.map_elementwise`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"
  ];
}

def TritonInlineCalls : Pass<"triton-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace every call by the code it calls";
  let description = [{
    Functions of the language's library, and those that ask for `noinline`, are
    copied into their callers, innermost first. Locations keep the call site. A
    function that calls itself is an error.

    For example

    ```mlir
    tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
      %0 = tt.call @twice(%x) : (f32) -> f32
      tt.store %p, %0 : !tt.ptr<f32>
      tt.return
    }
    tt.func private @twice(%x: f32) -> f32 {
      %0 = arith.addf %x, %x : f32
      tt.return %0 : f32
    }
    ```

    becomes

    ```mlir
    tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
      %0 = arith.addf %x, %x : f32
      tt.store %p, %0 : !tt.ptr<f32>
      tt.return
    }
    ```

    Needs: one block in each called function (`triton-structure-control-flow`).
    Leaves: no `tt.call` and no private `tt.func`.
  }];
}

def TritonCombine : Pass<"triton-combine", "::mlir::ModuleOp"> {
  let summary = "Rewrite TTIR to simpler forms of itself";
  let description = [{
    | Triton                                | becomes                         |
    |---------------------------------------|---------------------------------|
    | `dot(a, b, 0) + c`                    | `dot(a, b, c)`                  |
    | `addptr(addptr(p, i), j)`             | `addptr(p, i + j)`, in 64 bits  |
    | `f(splat(x), splat(y))`               | `splat(f(x, y))`                |
    | `f(broadcast(x), broadcast(y))`       | `broadcast(f(x, y))`            |
    | `where((a > b) \| (a != a), a, b)`    | `maximumf(a, b)`, in reductions |
    | `load(p, m, b)` after `a = load(p)`   | `where(m, a, b)`                |
    | `where(m, f(where(m, a, b)), c)`      | `where(m, f(a), c)`             |
    | `scf.for` with `tt.loop_unroll_factor`| the loop, unrolled              |

    `f` stands for every operation on elements; constants of one repeated value
    count as `splat` and `broadcast`. For example

    ```mlir
    %0 = tt.splat %x : f32 -> tensor<128xf32>
    %1 = math.exp %0 : tensor<128xf32>
    ```

    becomes

    ```mlir
    %0 = math.exp %x : f32
    %1 = tt.splat %0 : f32 -> tensor<128xf32>
    ```

    Needs: nothing. Leaves: no `tt.loop_unroll_factor`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Phase structured
//===----------------------------------------------------------------------===//

def StructuredRecoverAccesses
    : Pass<"structured-recover-accesses", "::mlir::ModuleOp"> {
  let summary = "Make gathers strided, wrapped, broadcast or partly gathered";
  let description = [{
    Reads what each element's offset is as a function of its place in the block,
    and what the mask lets through, and describes the access dimension by
    dimension. Tensors of offsets that loops and branches change by a uniform
    amount become scalars. What has no such description stays a gather.
    Integers that are loaded from one place for the whole block are loaded once,
    as a scalar, so that offsets made of them have a description.

    | offset of element `(i, j)`            | dimension 0            | dimension 1 |
    |---------------------------------------|------------------------|-------------|
    | `(64 * pid + i) * n + j`              | stride `n`             | stride 1    |
    | `((64 * pid + i) % m) * n + j`        | stride `n`, wraps at `m` | stride 1  |
    | `i`                                   | stride 1               | stride 0    |
    | `rows[i] * n + j`                     | stride `n`, by `rows`  | stride 1    |
    | `table[pid] * n + j`                  | stride 0               | stride 1    |
    | `k % 4 * n + k / 4`, flattened        | stride 1, `k / 4`      | stride `n`, `k % 4` |
    | `i * j`, `hash[i, j]`                 | gather                 |             |

    ```mlir
    // before: %o holds i * %n + j, %m holds i < %rows
    %t = tts.gather %p[%o] mask %m : tensor<64x32xi1> other %x : tensor<64x32xf32>
           : !tt.ptr<f32>, tensor<64x32xi64> -> tensor<64x32xf32>
    // after
    %t = tts.load %p[%zero] strides [%n, 1] bounds [0] from (%zero) to (%rows)
           other %s : f32 : !tt.ptr<f32> -> tensor<64x32xf32>
    ```

    Taken for granted, as in Triton's own analyses: index arithmetic on signed
    32- and 64-bit integers does not overflow, and what a signed index is
    divided by is positive. A divisor that is no constant is marked
    (`tts.size`): whoever executes the function checks it.

    For who lowers accesses otherwise: with `wraps=false` an index that wraps
    around is a list of indices, with `gathered-dimensions=false` an access with
    such a list stays a gather.

    Needs: accesses of blocks as `tts.gather` and `tts.scatter`.
    Leaves: gathers and scatters only where no dimension has a stride, and
    `tts.size` on arguments and operations whose number has to be positive.
  }];
  let options = [
    Option<"wraps", "wraps", "bool", /*default=*/"true",
           "recover dimensions that wrap around">,
    Option<"gathersDimensions", "gathered-dimensions", "bool",
           /*default=*/"true", "recover accesses with lists of indices">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TritonExplainAccesses
    : Pass<"triton-explain-accesses", "::mlir::ModuleOp"> {
  let summary = "Say how each block is accessed, and why if element by element";
  let description = [{
    Changes nothing. Every load or store of a block becomes a remark with its
    kind, strides and bounds, in the names of the kernel. An access without
    structure has a note on the value that is to blame, and one with a way out.
    So do integers, where they begin, that are data besides forming addresses.
    Run it before `structured-recover-accesses` to read names; after it, strides
    that are not constants show as `?`. The pipeline `--explain-accesses` runs
    what comes before, too.

    With `as=counts`, one line per kernel goes to the standard output instead:
    how many accesses are of each kind, scalars and atomics included. With
    `as=json`, one object per access, then one with the counts.

    Needs: accesses as `tts` operations. Leaves: the module as it was.
  }];
  let options = [
    Option<"format", "as", "::mlir::triton_shared::AccessFormat",
           "::mlir::triton_shared::AccessFormat::Remarks",
           "remarks at the lines of the kernel, counts per kernel, or json",
           [{::mlir::triton_shared::getAccessFormats()}]>
  ];
}

//===----------------------------------------------------------------------===//
// Phase linalg
//===----------------------------------------------------------------------===//

def LinalgExtendDotOperands : Pass<"linalg-extend-dot-operands"> {
  let summary = "Give matrix products operands that tensor cores take";
  let description = [{
    A product that says in `tts.exact_in` what else holds its operands, as one
    of scaled blocks does, gets them as bf16, or takes them as tf32. Blocks whose
    scales have 8 bits are scaled as bf16: their factors are exact in it, too.

    Needs: phase `linalg`. Leaves: matrix products without `tts.exact_in`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LinalgMarkGpuProducts
    : Pass<"linalg-mark-gpu-products", "::mlir::ModuleOp"> {
  let summary = "Say of matrix products how a GPU would compute them";
  let description = [{
    Sends a copy of the module on the way to `gpu` until `cta-choose-instructions`
    has run, and writes what has become of each product of floats on it, as the
    attribute `tts.gpu_product`:

    | entry              | what it says                                        |
    |--------------------|-----------------------------------------------------|
    | `instruction`      | `mma`, `wgmma`, or `fma`: one product after the other |
    | `left`, `right`    | what the instruction reads operands as: `f16`, `bf16`, `e4m3`, `e5m2`, `tf32-nearest` (rounded before), `tf32-cut` |
    | `sum`              | what it adds up in: `f32` or `f16`                  |
    | `block`, `fraction`, `result` | the numbers of Target/TensorCores.def    |
    | `part`             | how much of K is added up apart, 0 for all          |

    A product by an instruction of which nothing is known is an error, as is a
    kernel that the way to the GPU refuses.

    Needs: phase `linalg`. Leaves: the same.
  }];
  let options = [
    Option<"gpu", "gpu", "std::string", "\"90a\"",
           "whose products: a compute capability, as in sm_90a">,
    Option<"numWarps", "num-warps", "unsigned", "4",
           "warps that run one program there">
  ];
}

//===----------------------------------------------------------------------===//
// Any phase
//===----------------------------------------------------------------------===//

def VerifyPhase : Pass<"verify-phase", "::mlir::ModuleOp"> {
  let summary = "Fail on what a phase may not contain";
  let description = [{
    Stands at the end of every phase and changes nothing. The first operation or
    type that the phase may not hold becomes an error that names it, the source
    line and the way out.

    Each phase has a list of the dialects that may be there; up to `structured`,
    so may dialects of others, which extend the language. Of these, it does not
    hold:

    | phase        | not                                                       |
    |--------------|-----------------------------------------------------------|
    | `ttir`       | `tt.call`, more than one block in a `tt.func`             |
    | `structured` | blocks of pointers, accesses and address arithmetic of `tt`, block pointers, descriptors |
    | `linalg`     | types of `tt`                                             |
    | `memref`     | types of `tt`; of dialects, only upstream's               |
    | `cta`        | types of `tt`, tiles without a layout or on another number of warps than the kernel has |
    | `gpu`        | tiles                                                     |
    | `llir`       | casts that no conversion has replaced                     |

    Needs: nothing. Leaves: the module as it was.
  }];
  let options = [
    Option<"phase", "phase", "std::string", /*default=*/"",
           "The phase whose contract is checked">
  ];
}

//===----------------------------------------------------------------------===//
// Within bodies that are scalar, on the way to a CPU or a GPU
//===----------------------------------------------------------------------===//

def ExpandSmallFloats : Pass<"expand-small-floats"> {
  let summary = "Convert 8-bit and 16-bit floats by integer arithmetic";
  let description = [{
    LLVM knows no 8-bit floats. For CPUs it converts 16-bit floats by calls or by
    instructions that flush denormals, and ignores rounding modes on x86. So:

    | operation                        | becomes                              |
    |----------------------------------|--------------------------------------|
    | `arith.extf` from 8 bits or bf16 | exact integer arithmetic on the bits |
    | `arith.truncf` to 8 bits or bf16 | the same, ties to even or `toward_zero` |
    | `arith.truncf` to f16, from f64 or `toward_zero` | the same             |
    | `math.fma` on 16 bits            | a product and a sum in f64, rounded once |

    Formats without infinity overflow to NaN, as `ml_dtypes` does. Conversions
    between f16 and f32 to nearest stay: the hardware is right there.
    A pair of them is kept too (their `contract` flags go): it rounds. And so is
    what `linalg.matmul` does with its operands: its name says that.

    Needs: scalars, on the way to a CPU or a GPU; arithmetic on these types
    emulated in f32 (`arith-emulate-unsupported-floats`), with `keep-bfloat` but
    for bf16. Leaves: 8-bit floats only in memory, constants and bit casts; with
    `keep-bfloat`, and on tiles, e4m3 and e5m2 that are widened as well, and
    `arith.truncf` to these to nearest of what was cut to their range before.
  }];
  let options = [
    Option<"keepsBFloat", "keep-bfloat", "bool", /*default=*/"false",
           "leave arithmetic on bf16 and its conversions from and to f32 to "
           "the hardware, as a GPU has them">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Before LLVM, on the way to a CPU or a GPU
//===----------------------------------------------------------------------===//

def GuardIntegers : Pass<"guard-integers"> {
  let summary = "Give integer divisions and shifts a value everywhere";
  let description = [{
    A division by zero, or of the smallest integer by -1, is undefined in
    Triton, and kernels divide in elements that are masked off. A CPU would end
    the process, and LLVM make anything of what it knows to be so. Here x / 0 is
    -1 (all ones) and x % 0 is x, as on NVIDIA GPUs; the smallest integer divided
    by -1 is itself. Divisions by other constants stay what they are. So do those
    of a GPU by the size at which an access wraps around (`tts.size_as_divisor`),
    which is checked elsewhere.

    A shift by the width or more is as undefined; here it leaves zero, or the
    sign where the shift keeps it.

    Needs: nothing. Leaves: no `arith.divsi`, `divui`, `remsi`, `remui` of
    undefined result, no `arith.shrsi` by more than the last place, and no
    `arith.shli`, `shrui` by more whose result is chosen.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// For who comes from another triton-shared (docs/migrating.md)
//===----------------------------------------------------------------------===//

def AddLLVMDebugInfo : Pass<"add-llvm-debug-info", "::mlir::ModuleOp"> {
  let summary = "Give functions a debug scope that LLVM IR keeps";
  let description = [{
    A function that has a line gets a `#llvm.di_subprogram` on its location, in
    a compile unit of its module. The locations of its operations are then lines
    in the debug information of LLVM, which sanitizers print. A function that
    has a scope keeps it.

    Needs: functions of any dialect. Leaves: the same operations.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CollapseShape : Pass<"collapse-shape", "::mlir::ModuleOp"> {
  let summary = "Make one dimension of neighbours in linalg operations";
  let description = [{
    Dimensions that lie beside each other in every operand of an operation on
    tensors, and that are of one kind, become one:

    ```mlir
    %0 = linalg.fill ins(%x : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
    // becomes
    %1 = tensor.collapse_shape %e [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    %2 = linalg.fill ins(%x : f32) outs(%1 : tensor<32xf32>) -> tensor<32xf32>
    %0 = tensor.expand_shape %2 [[0, 1]] output_shape [8, 4]
    ```

    That is done to `linalg.fill`, `broadcast`, `transpose`, `reduce` and
    `generic`. A reduction becomes a `linalg.generic`; the others keep their
    names where the result has one.

    Needs: linalg on tensors. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifyTritonCheckpoint
    : Pass<"verify-triton-checkpoint", "::mlir::ModuleOp"> {
  let summary = "Fail where something of Triton or of this project is left";
  let description = [{
    An operation of `tt`, `ttg`, `tts` or `cta` is an error at its place, and so
    is one with a value of a type of Triton.

    Needs: nothing. Leaves: the module as it was.
  }];
}

include "triton-shared/Transforms/CpuPasses.td"
include "triton-shared/Transforms/CtaPasses.td"
include "triton-shared/Transforms/ValidationPasses.td"

#endif // TRITON_SHARED_TRANSFORMS_PASSES
