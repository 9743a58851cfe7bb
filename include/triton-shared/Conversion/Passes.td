//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Every conversion pass of the project in pipeline order, so that this file
// reads as the lowering story. `make docs` turns it into docs/generated/.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_CONVERSION_PASSES
#define TRITON_SHARED_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Phase ttir -> structured
//===----------------------------------------------------------------------===//

def TritonDescriptorsToStructured
    : Pass<"triton-descriptors-to-structured", "::mlir::ModuleOp"> {
  let summary = "Turn block pointers and tensor descriptors into accesses";
  let description = [{
    Block pointers and descriptors already say what the analyses must recover
    elsewhere: a shape, strides and a place. A value of such a type becomes its
    parts, also where loops and branches carry it and in the signature:

    | value                         | parts                                    |
    |-------------------------------|------------------------------------------|
    | `!tt.ptr<tensor<64x32xf32>>`  | `!tt.ptr<f32>`, 2 x i64 shape, 2 x i64 strides, 2 x i64 offsets |
    | `!tt.tensordesc<64x32xf32>`   | `!tt.ptr<f32>`, 2 x i64 shape, 2 x i64 strides, i1 (padding is NaN), i1 (loads round to tf32) |

    and its accesses become `tts` accesses with bounds:

    | Triton                                     | becomes                     |
    |--------------------------------------------|-----------------------------|
    | `tt.load`/`tt.store` of a block pointer    | `tts.load`/`tts.store`, bounded where `boundaryCheck` says so |
    | `tt.descriptor_load`, `_store`             | `tts.load`/`tts.store`, all dimensions bounded |
    | `tt.descriptor_gather`, `_scatter`         | the same with a gathered first dimension |
    | `tt.descriptor_reduce`                     | `tts.atomic_rmw` with a mask |

    Needs: single-block functions without calls. Leaves: no block pointer, no
    descriptor; scalar pointers may still be computed, and are bases of `tts`
    accesses until `triton-to-structured` has run.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tts::TTSDialect"
  ];
}

def TritonToStructured : Pass<"triton-to-structured", "::mlir::ModuleOp"> {
  let summary = "Take pointers apart into a base and an integer offset";
  let description = [{
    Mechanical and right for every program: no analysis of shapes or strides is
    involved. A pointer that provably starts at one kernel argument becomes an
    offset from it, in elements; a pointer that may start at several, or at an
    integer, becomes an offset from address zero. Offsets have 64 bits, as each
    `tt.addptr` extends its own.

    ```mlir
    %0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %2 = tt.load %1, %m : tensor<8x!tt.ptr<f32>>
    ```

    becomes

    ```mlir
    %1 = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
    %2 = tts.gather %p[%1] mask %m : tensor<8xi1>
           : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    ```

    | Triton                          | becomes                                |
    |---------------------------------|----------------------------------------|
    | `tt.load`, `tt.store`, scalar   | `tts.load`, `tts.store` of rank 0      |
    | `tt.load`, `tt.store`, block    | `tts.gather`, `tts.scatter`            |
    | `tt.atomic_*`                   | `tts.atomic_rmw`, `_cas`, `_poll`      |
    | `tt.ptr_to_int`, `tt.int_to_ptr`| arithmetic on addresses                |

    Needs: single-block functions without calls, block pointers or descriptors.
    Leaves: no pointer but the kernel arguments and `tts.from_address`; no
    `tt.addptr`, no access of `tt`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tts::TTSDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Phase structured -> linalg
//===----------------------------------------------------------------------===//

def TritonTensorsToLinalg
    : Pass<"triton-tensors-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower what is left of Triton, on tensors, to linalg";
  let description = [{
    | Triton                                   | becomes                      |
    |------------------------------------------|------------------------------|
    | `tt.func`, `tt.return`                   | `func.func`, `func.return`; six i32 follow the arguments: grid sizes x, y, z, program ids x, y, z |
    | `!tt.ptr<T>`                             | `memref<*xT>` (`i8` for `i1`, `i64` for pointers) |
    | `tt.get_program_id`, `tt.get_num_programs` | an argument                |
    | `tt.print`, `tt.assert`                  | `tts.print`, `tts.assert`    |
    | `gpu.barrier`, `ttg.barrier`, `tt.grid_dependency_*` (also as `griddepcontrol` assembly) | nothing: the elements of a program run in order |
    | `llvm.intr.assume`                       | nothing: the analyses have read it |
    | arith and math on tensors, `tt.clampf`, `tt.precise_*`, `tt.approx_divf`, `tt.mulhiui`, `tt.bitcast` | `linalg.generic` over the scalar op |
    | constants of one value, `tt.splat`       | `linalg.fill`                |
    | `tt.broadcast`, `tt.make_range`          | `linalg.generic`             |
    | `tt.expand_dims`, `tt.reshape`           | `tensor.expand_shape`, `tensor.collapse_shape`, in row-major order |
    | `tt.trans`                               | `linalg.transpose`           |
    | `tt.fp_to_fp`                            | `arith.extf`, `arith.truncf`, see below |
    | `tt.extern_elementwise "__nv_*"`         | math, arith, or a call of the C library |
    | `tt.dot`                                 | `linalg.matmul`, `linalg.batch_matmul` |
    | `tt.dot_scaled`                          | scaled operands, then as `tt.dot` |
    | `tt.reduce`, `tt.scan`                   | `linalg.reduce`, loops       |
    | `tt.histogram`, `tt.gather`, `tt.map_elementwise` | loops, `linalg.generic` |
    | `tt.join`, `tt.split`, `tt.cat`          | slices                       |

    Scalars take the same path without the loop.

    Rounding: a narrowing conversion rounds to nearest, ties to even; `rtz` is
    that, one step back towards zero where the magnitude grew. Values beyond the
    range of an 8-bit float, infinities included, become its largest number, as
    the conversion instructions of GPUs do; only `rtz` leaves an infinity what
    it is where the format has one. NaN stays NaN. Formats of one width convert
    through f32.

    NaN rules: `arith.maxnumf` and `arith.maximumf` stay what they are;
    `tt.clampf` uses the one or the other as `propagateNan` says.

    Inline assembly and external functions nobody knows are errors.

    Needs: phase `structured`. Leaves: phase `linalg`, no `tt` op or type.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tts::TTSDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Phase linalg -> memref
//===----------------------------------------------------------------------===//

def StructuredToMemRef
    : Pass<"structured-to-memref", "::mlir::ModuleOp"> {
  let summary = "Turn structured accesses into views, copies and loops";
  let description = [{
    | access                                | becomes                          |
    |---------------------------------------|----------------------------------|
    | `tts.load` of a strided block         | `memref.reinterpret_cast`, `memref.alloc`, `memref.copy`, `bufferization.to_tensor` |
    | the same with bounds                  | copy between `memref.subview`s; before it, if the part is smaller than the block, `linalg.fill` with `other` |
    | `tts.store` of a strided block        | `memref.reinterpret_cast`, `bufferization.materialize_in_destination` |
    | the same with bounds                  | `tensor.extract_slice` into a `memref.subview` |
    | scalar `tts.load`, `tts.store`        | `affine.load`, `affine.store` at `[0]` of a view of size one, under `scf.if` if masked |
    | everything else, `tts.gather`, `tts.scatter` | `scf.for` over the elements that take part, each as a scalar access |
    | `tts.atomic_rmw`, `tts.atomic_cas`    | the same with `memref.atomic_rmw`, `llvm.atomicrmw`, `llvm.cmpxchg` |
    | `tts.atomic_poll`                     | `scf.while` over `llvm.load atomic` |
    | `tts.from_address`, `tts.to_address`  | `llvm.inttoptr` and a memref descriptor; `memref.extract_aligned_pointer_as_index` |
    | `tts.print`, `tts.assert`             | calls of the runtime, see runtime/Messages.h |

    For example

    ```mlir
    %t = tts.load %p[%o] strides [1] bounds [0] from (%zero) to (%n)
           other %x : f32 : memref<*xf32> -> tensor<8xf32>
    ```

    becomes, where `%m` is `%n` clamped to the block,

    ```mlir
    %view = memref.reinterpret_cast %p to offset: [%o], sizes: [8], strides: [1]
    %from = memref.subview %view[0] [%m] [1]
    %alloc = memref.alloc() : memref<8xf32>
    scf.if %m_is_less_than_8 { linalg.fill ins(%x) outs(%alloc) }
    %to = memref.subview %alloc[0] [%m] [1]
    memref.copy %from, %to
    %t = bufferization.to_tensor %alloc restrict writable
    ```

    Elements that a load leaves out are zero where Triton leaves them undefined.
    Volatile reads are `llvm.load volatile`. Elements of a block are stored in
    row-major order where they may share an address.

    Needs: phase `linalg`. Leaves: phase `memref`, upstream dialects only.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Phase memref -> llir, on the CPU
//===----------------------------------------------------------------------===//

def CpuRoundDotOperands
    : Pass<"cpu-round-dot-operands", "::mlir::ModuleOp"> {
  let summary = "Round the operands of dots to their input precision";
  let description = [{
    `linalg.matmul` and `linalg.batch_matmul` of f32 carry the `inputPrecision`
    of the Triton source as the discardable attribute `tts.input_precision`:

    | value             | operands                                             |
    |-------------------|------------------------------------------------------|
    | `"tf32"`          | rounded to nearest, ties to even, to 10 bits of mantissa |
    | `"ieee"`, others  | as they are: `tf32x3`, `bf16x3` and `bf16x6` only approximate f32 |

    Infinities and NaNs stay. Needs: linalg on tensors. Leaves: no such
    attribute.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CpuFuseElementwise : Pass<"cpu-fuse-elementwise"> {
  let summary = "Fuse element-wise operations that are read once";
  let description = [{
    An element-wise `linalg.generic` with one use moves into its consumer if
    that reads each of its elements once. What is made of indices alone, such as
    a mask, moves into all of them. Nothing else is computed twice, and no result
    changes.

    Needs: `linalg.generic` on tensors. Leaves: the same.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CpuCollapseLoops : Pass<"cpu-collapse-loops"> {
  let summary = "Make one loop of loops along neighbours in memory";
  let description = [{
    A `linalg.generic` of more than four loops, as sorts and other bit-wise
    views of a block make them, loses its dimensions of size 1; then loops that
    every operand has side by side become one:

    | operands                              | become              |
    |---------------------------------------|---------------------|
    | `2x2x2x2x2x2`, read and written alike | `64`                |
    | `2x2x2x1x2x2` broadcast to `2x2x2x2x2x2` | `8x4` to `8x2x4` |

    Each element is computed as before.

    Needs: `linalg.generic` on tensors. Leaves: the same, between
    `tensor.collapse_shape` and `tensor.expand_shape`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CpuOrderLoops : Pass<"cpu-order-loops"> {
  let summary = "Run the innermost loop of a dot along a row of the result";
  let description = [{
    | loops before      | after             |
    |-------------------|-------------------|
    | m, n, k           | m, k, n           |
    | batch, m, n, k    | batch, m, k, n    |

    Each element is summed up in the order of k as before, so the result is the
    same bit for bit; but LLVM can make vectors along n.

    Needs: `linalg.generic`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def CpuTileDots : Pass<"cpu-tile-dots", "::mlir::func::FuncOp"> {
  let summary = "Compute dots by tiles that fit into registers";
  let description = [{
    A contraction of two buffers becomes loops over tiles of the result, as many
    rows and vectors of columns as accumulators, a row of the right operand and
    one element of the left one have room for in registers:

    | registers     | tile                                        |
    |---------------|---------------------------------------------|
    | 32 (AVX-512)  | 4 rows, 4 vectors; 8 rows, 2 vectors where the result is narrower |
    | 16            | 4 rows, 2 vectors                           |

    The innermost loop runs over the summed-up dimension and carries the tile.
    Floats are multiplied and added with one rounding (`math.fma`) where the CPU
    can. What the next iteration of a loop around the dot will read is
    prefetched, a few cache lines for each tile.

    Where the CPU adds the products of pairs of neighbours (AVX512_BF16 for bf16,
    AVX512_VNNI for integers of 8 bits, as pairs of i16), the right operand is
    copied with its rows in pairs, element by element, and each round goes two
    places along the summed-up dimension. Operands
    that are converted first (f16, bf16, 8-bit floats and integers) or do not
    lie row by row are copied into a buffer by a `linalg.generic`.

    Needs: no tensors. Leaves: dots of other forms as they are.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"64",
           "bytes of a vector register">,
    Option<"registers", "registers", "unsigned", /*default=*/"32",
           "how many vector registers there are">,
    Option<"hasFma", "fma", "bool", /*default=*/"true",
           "whether the CPU multiplies and adds in one operation">,
    Option<"hasBf16Pairs", "bf16-pairs", "bool", /*default=*/"false",
           "whether the CPU adds products of pairs of bf16 to an f32">,
    Option<"hasInt16Pairs", "int16-pairs", "bool", /*default=*/"false",
           "whether the CPU adds products of pairs of i16 to an i32">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CpuExpandMath : Pass<"cpu-expand-math"> {
  let summary = "Compute functions by polynomials";
  let description = [{
    | function                     | formats  | how                            |
    |------------------------------|----------|--------------------------------|
    | `exp`, `exp2`, `expm1`       | f32, f64 | 2^n times a polynomial; subnormal results are right |
    | `log`, `log2`, `log1p`       | f32, f64 | the exponent, and a polynomial of the mantissa |
    | `tanh`, `erf`                | f32, f64 | near zero a polynomial or `expm1`, by `exp` elsewhere |
    | `log10`, `powf`, `cbrt`, `sinh`, `cosh`, `asinh`, `acosh`, `atanh`, `erfc` | f32 | by `log2` and `exp2` in f64 |
    | `sin`, `cos`, `tan`          | f32      | in f64, after a product with enough bits of 1 / (2 pi) for all floats |
    | `asin`, `acos`, `atan`, `atan2` | f32   | in f64, a polynomial of a root or a quotient |

    docs/semantics.md says how large the errors are. Special values, signs of
    zero and subnormal numbers are those of the C library. A scalar and an
    element of a vector have the same result, on every CPU. All other functions
    stay for the C library.

    Needs: nothing. Leaves: none of these functions of these formats.
  }];
  let options = [
    Option<"hasScale", "scale", "bool", /*default=*/"false",
           "whether the CPU multiplies by powers of two (AVX-512)">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect"
  ];
}

def LinalgToVector : Pass<"linalg-to-vector", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg on buffers into loops over vectors";
  let description = [{
    | operation                                  | becomes                      |
    |--------------------------------------------|------------------------------|
    | element-wise `linalg.generic`, `fill`, `copy`, `memref.copy` | a loop nest whose innermost loop goes from vector to vector |
    | reduction along the last dimension         | four vectors of partial results, then a tree of fixed form |
    | reduction along another dimension          | one vector per column, rows in their order |
    | transposition                              | squares of vectors           |

    A loop stays a loop: the size of the code does not depend on the size of the
    block. A vector is as wide as a register, or as the block if that is
    smaller. Copies of unknown extent end with a masked vector.

    Only reductions by one associative operation are reordered. Operations with
    branches, lookups or several results stay for `convert-linalg-to-loops`.

    Needs: no tensors, buffers of booleans as bytes. Leaves: scalar operations
    and loops as they are.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"64",
           "bytes of a vector register">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CpuGuardDivision : Pass<"cpu-guard-division"> {
  let summary = "Make integer divisions that would trap give a value";
  let description = [{
    A division by zero, or of the smallest integer by -1, is undefined in
    Triton: a GPU returns some value, and kernels divide in elements that are
    masked off. The CPU would end the process. Here x / 0 is -1 (all ones) and
    x % 0 is x, as on NVIDIA GPUs; the smallest integer divided by -1 is itself.
    Divisions by other constants stay what they are.

    A shift by the width or more is as undefined; here it leaves zero, or the
    sign where the shift keeps it.

    Needs: nothing. Leaves: no `arith.divsi`, `divui`, `remsi`, `remui`,
    `floordivsi`, `ceildivsi`, `ceildivui` that may trap, no `arith.shli`,
    `shrsi`, `shrui` by more than the last place.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CpuOrderZeros : Pass<"cpu-order-zeros"> {
  let summary = "Make minimum and maximum order zeros";
  let description = [{
    All of these take -0.0 for less than 0.0:

    | operation                     | becomes                                |
    |-------------------------------|----------------------------------------|
    | `arith.maximumf`, `minimumf`  | `llvm.intr.maximum`, `minimum`         |
    | `arith.maxnumf`, `minnumf` of vectors | the intrinsics `llvm.maximumnum`, `minimumnum` |
    | `arith.maxnumf`, `minnumf` of scalars | `llvm.intr.maximum`, `minimum`, unless an operand is NaN |

    Needs: scalars and vectors. Leaves: formats other than f32 and f64 as they are.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuLowerMath : Pass<"cpu-lower-math", "::mlir::ModuleOp"> {
  let summary = "Use the CPU's and the C library's functions";
  let description = [{
    | operation on f32 and f64                        | becomes             |
    |-------------------------------------------------|---------------------|
    | `math.absf`, `ceil`, `copysign`, `floor`, `fma`, `round`, `roundeven`, `sqrt`, `trunc` | the LLVM intrinsic: IEEE 754 fixes the result |
    | `math.rsqrt`                                    | one over the square root |
    | other functions the C library has               | a call of it        |

    Results depend on the C library alone, not on the compiler.

    Needs: scalars. Leaves: functions of integers, and questions such as
    `math.isnan`, to `convert-math-to-llvm`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def CpuExpandSmallFloats : Pass<"cpu-expand-small-floats"> {
  let summary = "Convert 8-bit and 16-bit floats by integer arithmetic";
  let description = [{
    LLVM knows no 8-bit floats, converts 16-bit floats by calls or by
    instructions that flush denormals, and ignores rounding modes on x86. So:

    | operation                        | becomes                              |
    |----------------------------------|--------------------------------------|
    | `arith.extf` from 8 bits or bf16 | exact integer arithmetic on the bits |
    | `arith.truncf` to 8 bits or bf16 | the same, ties to even or `toward_zero` |
    | `arith.truncf` to f16, from f64 or `toward_zero` | the same             |
    | `math.fma` on 16 bits            | the f32 operation between conversions |

    Formats without infinity overflow to NaN, as `ml_dtypes` does. Conversions
    between f16 and f32 to nearest stay: the hardware is right there.
    A pair of them is kept too (their `contract` flags go): it rounds.

    Needs: arithmetic on these types emulated in f32
    (`arith-emulate-unsupported-floats`). Leaves: 8-bit floats only in memory,
    constants and bit casts.
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

def CpuCopiesToLoops : Pass<"cpu-copies-to-loops"> {
  let summary = "Turn copies of memory into loops";
  let description = [{
    `memref.copy` becomes an `scf.for` nest over its elements. Lowered
    by itself it would be a call of a runtime function for strided memory.

    Needs: no tensors. Leaves: no `memref.copy`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def CpuWrapProgramLoop
    : Pass<"cpu-wrap-program-loop", "::mlir::ModuleOp"> {
  let summary = "Give each kernel an entry that runs a range of programs";
  let description = [{
    The kernel takes bare pointers from here on and becomes private; in its
    place the module offers

    ```c
    void <kernel>.entry(void *const *args, int32_t gridX, int32_t gridY,
                        int32_t gridZ, int64_t first, int64_t count);
    ```

    which runs the programs `first` to `first + count - 1` of the grid, x
    fastest. `args[i]` points at the value of argument `i`; a boolean is a byte.

    Needs: public `func.func`s with the six trailing i32 of phase `memref`, no
    tensors. Leaves: no memref of unknown rank.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def CpuPlaceBuffers : Pass<"cpu-place-buffers", "::mlir::ModuleOp"> {
  let summary = "Give each buffer its place in one scratch area";
  let description = [{
    Buffers of known size become parts of one area that belongs to the thread.
    The kernel gets it as its last argument, and the entry asks the runtime for
    it once for each range of programs:

    ```c
    void *tritonSharedScratch(int64_t bytes);
    ```

    Two buffers share a place if the one is dead before the other begins. Each
    begins at a cache line.

    Needs: kernels with entries (`cpu-wrap-program-loop`), no buffer that
    outlives the iteration it is made in (`cpu-carry-in-place`). Leaves: no
    `memref.alloc` of known size; the size of the area as `cpu.scratch` on the
    kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CpuAllowWrap : Pass<"cpu-allow-wrap"> {
  let summary = "Drop the promise that addresses do not wrap around";
  let description = [{
    Upstream's lowering of memref marks address arithmetic as never wrapping,
    unsigned or signed. A block of a Triton program may lie before the pointer
    it starts from, and its strides may be negative; with these marks such an
    access is undefined. Integer arithmetic of the kernel wraps, too.

    Needs: the LLVM dialect. Leaves: no `nuw`, `nsw`, `nusw`, `inbounds`.
  }];
}

def CpuBFloatAsBits : Pass<"cpu-bfloat-as-bits"> {
  let summary = "Show bf16 to LLVM as integers of 16 bits";
  let description = [{
    LLVM finds operations on bf16 in arithmetic on its bits, `llvm.fabs` among
    them, and LLVM 22 loses signs where it lowers them for x86. As the CPU
    computes in f32, every bf16 that is left is only moved:

    | before                          | after                       |
    |---------------------------------|-----------------------------|
    | `llvm.load %p : !llvm.ptr -> bf16` | `llvm.load %p : !llvm.ptr -> i16` |
    | `llvm.bitcast %x : bf16 to i16` | nothing, once canonicalized |

    Needs: the LLVM dialect, without arithmetic on bf16
    (`cpu-expand-small-floats`). Leaves: no bf16.
  }];
}

//===----------------------------------------------------------------------===//
// Phase linalg -> cta -> gpu -> llir (NVIDIA)
//===----------------------------------------------------------------------===//

def LinalgExtendDotOperands : Pass<"linalg-extend-dot-operands"> {
  let summary = "Extend 8-bit floats that go into matrix products to f16";
  let description = [{
    Every 8-bit float is an f16, so nothing is lost, and the tensor cores of all
    supported GPUs take f16.

    Needs: phase `linalg`. Leaves: matrix products without 8-bit floats.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LinalgToCta : Pass<"linalg-to-cta", "::mlir::ModuleOp"> {
  let summary = "Turn tensors of linalg into tiles of a CTA";
  let description = [{
    | linalg                                  | becomes                         |
    |-----------------------------------------|---------------------------------|
    | `linalg.generic` over parallel loops    | its body on whole tiles, or `cta.map` if it has loops or branches |
    | `linalg.index`                          | `cta.iota`                      |
    | `linalg.fill`                           | `cta.splat`                     |
    | `linalg.reduce`                         | `cta.reduce`, without its start where that is neutral |
    | `linalg.matmul`, `batch_matmul`         | `cta.dot`                       |
    | `tensor.expand_shape`, `collapse_shape` | `cta.reshape`                   |
    | `linalg.transpose`                      | `cta.transpose`                 |
    | slices, `tensor.extract` in a body      | `cta.lookup`                    |
    | a number that is marked `tts.size`      | itself, after a `tts.assert` that it is not negative |

    Needs: phase `linalg`. Leaves: no linalg and no tensor operation; the number
    of warps as `cta.num_warps` on each function.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4",
           "warps that run one program (a power of two, up to 32)">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cta::CTADialect"
  ];
}

def CtaAllocateShared : Pass<"cta-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "Give buffers and exchanges their places in shared memory";
  let description = [{
    A buffer needs its place from its `cta.alloc` to its last use, an operation
    that moves data between warps while it runs. Those that are needed at
    different times share a place; exchanges that follow each other do not, so
    that the second need not wait for the first. `cta.shared_offset` says where
    a place begins, in bytes, and the function's `cta.shared` how much there is.

    A `gpu.barrier` stands before what writes where others may still read, and
    before what reads where others have written. Copies need none: they are
    waited for by `cta.wait`.

    A function that needs more than `limit` bytes is an error, which names the
    operations that need most.

    Needs: layouts. Leaves: offsets on all operations that need them.
  }];
  let options = [
    Option<"limit", "limit", "int64_t",
           /*default=*/"std::numeric_limits<int64_t>::max()",
           "bytes of shared memory that a block has">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
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
    | `cta.reduce`                         | vector arithmetic, shuffles, shared memory |
    | `cta.convert_layout`, `cta.lookup`   | register moves or shared memory    |
    | program ids                          | the block's index, and of the warp's where programs share a block |

    The kernel becomes a `gpu.func` in a `gpu.module` and loses the six trailing
    arguments. With `cta.programs`, the size of the grid in x stays the last one:
    programs beyond it do nothing.

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
  let summary = "Use the GPU's own instructions for division and powers";
  let description = [{
    Of f32, on scalars and on the registers of a thread:

    | operation     | becomes                                              |
    |---------------|------------------------------------------------------|
    | `arith.divf`, unless it is `tts.precise` | `div.full`: 2 ulp         |
    | `math.exp2`   | `ex2.approx`: 2 ulp                                  |
    | `math.exp`    | the same of the scaled operand                       |

    Left out with `precise=true`.

    Needs: phase `gpu`. Leaves: intrinsics of NVVM.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TRITON_SHARED_CONVERSION_PASSES
