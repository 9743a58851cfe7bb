//===- CpuPasses.td - The way to a CPU ---------------------*- tablegen -*-===//
//
// Phase memref -> llir. In the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_CONVERSION_CPUPASSES
#define TRITON_SHARED_CONVERSION_CPUPASSES

include "mlir/Pass/PassBase.td"

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
  let summary = "Fuse element-wise operations where that saves a buffer";
  let description = [{
    An element-wise `linalg.generic` with one use moves into its consumer if
    that reads each of its elements once. Two kinds move into all of their
    consumers, as computing them again costs less than a buffer: what is made of
    indices alone, such as a mask, and a few additions, products and comparisons
    on one block, such as a row less its mean, if that leaves nobody who reads
    the buffer. Nothing else is computed twice, and no result changes.

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

def CpuScansToVector : Pass<"cpu-scans-to-vector", "::mlir::func::FuncOp"> {
  let summary = "Scan rows from vector to vector";
  let description = [{
    A loop that is a scan along the last axis, of one value or of several, in
    either direction, with any region of one's own, becomes a loop over vectors
    of each row. Prefixes of a vector take log2(lanes) steps, and all of them
    are combined with what is carried from the vectors before, in every lane:

    | lanes                      | `a b  c   d`            |
    |----------------------------|-------------------------|
    | with those 1 place before  | `a ab bc  cd`           |
    | with those 2 places before | `a ab abc abcd`         |
    | with all vectors before    | `sa sab sabc sabcd`     |

    Elements are combined in their order, but in another grouping: the region of
    a scan is associative by Triton's contract.

    These stay loops over slices: scans along another axis, which vectors across
    the slices serve; rows too short for four lanes; booleans, and small floats
    other than f16; regions with branches, divisions of integers, or functions
    that `cpu-expand-math` does not know: a CPU computes these for one lane after
    the other. The functions that it knows become polynomials here, if there are
    at least 16 lanes.

    Needs: phase `memref`, with the loops that `structured-to-memref` makes of
    `tts.scan`. They are recognised, since the phase may come as text and has no
    operation that says it. Leaves: `vector.transfer_read` and
    `vector.transfer_write` on tensors.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"64",
           "bytes of a vector register">,
    Option<"expandMath", "expand-math", "bool", /*default=*/"true",
           "whether functions become polynomials">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
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
    | loop over single elements at computed places | gathers from 256 bits on, scatters from 512 bits on |

    A loop stays a loop: the size of the code does not depend on the size of the
    block. A vector is as wide as a register, or as the block if that is
    smaller; an element-wise operation of a few steps that only has memory of the
    kernel's caller waits for that memory, which some CPUs move faster by
    narrower vectors. Copies of unknown extent end with a masked vector.

    Only reductions by one associative operation are reordered. Operations with
    branches, lookups or several results stay for `convert-linalg-to-loops`.

    Needs: no tensors, buffers of booleans as bytes. Leaves: scalar operations
    and loops as they are.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"64",
           "bytes of a vector register">,
    Option<"streamBytes", "stream-bytes", "unsigned", /*default=*/"64",
           "bytes of a vector where memory is all there is to wait for">,
    Option<"hasFma", "fma", "bool", /*default=*/"true",
           "add products to sums in one operation">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
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
    `math.isnan`, to `upstream-to-llvm`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
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
                        int32_t gridZ, int64_t first, int64_t count,
                        int64_t *running);
    ```

    which runs the programs `first` to `first + count - 1` of the grid, x
    fastest. `args[i]` points at the value of argument `i`; a boolean is a byte.
    `*running` is always the program that runs: who handles a crash reads it.

    Needs: public `func.func`s with the six trailing i32 of phase `memref`, no
    tensors. Leaves: no memref of unknown rank.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def CpuKeepInRegisters : Pass<"cpu-keep-in-registers", "::mlir::func::FuncOp"> {
  let summary = "Make variables of buffers that fit into registers";
  let description = [{
    A buffer of a few numbers becomes a variable of its kernel (`memref.alloca`
    in its first block), which LLVM keeps in registers where all its accesses
    have known places: the running block of a loop, or what one operation leaves
    to the next. The variables of a kernel together take at most 16 KiB of the
    stack; further ones stay buffers.

    Needs: no buffer that outlives the iteration it is made in
    (`cpu-carry-in-place`). Leaves: the same.
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"1024",
           "the largest buffer that becomes a variable, in bytes">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CpuSplitDeallocations
    : Pass<"cpu-split-deallocations", "::mlir::func::FuncOp"> {
  let summary = "Free the buffers of long code one by one";
  let description = [{
    A `bufferization.dealloc` of many buffers becomes one for each: those of
    different allocations, branches, loops and iterations have different owners,
    so that none is freed twice. Results of one operation stay together. Long
    lists would be compared by pairs, by the compiler and in each program.

    Needs: ownership (`ownership-based-buffer-deallocation`). Leaves: the same.
  }];
  let options = [
    Option<"least", "least", "unsigned", /*default=*/"2",
           "the number of buffers below which a list stays as it is">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect"
  ];
}

def CpuFreeEarly : Pass<"cpu-free-early", "::mlir::func::FuncOp"> {
  let summary = "Free buffers after their last use";
  let description = [{
    A `memref.dealloc` at the end of a block goes behind the last operation of
    the block that uses the buffer, if all its uses are known.

    Needs: `memref.dealloc` of buffers that nobody uses later. Leaves: the same.
  }];
  let options = [
    Option<"least", "least", "unsigned", /*default=*/"0",
           "the number of deallocations below which a function stays as it is">
  ];
}

def CpuSplitFunctions : Pass<"cpu-split-functions", "::mlir::ModuleOp"> {
  let summary = "Make functions of the pieces of a long kernel";
  let description = [{
    Where a block has more than `most` operations, with all that is nested,
    consecutive ones become private functions of about `piece` operations each,
    so that what LLVM does to a function takes a bounded time. Values that a
    piece reads are its arguments, values that it leaves its results; constants
    and views of memory are made again where they are read. Ordinary kernels
    stay one function.

    Needs: one block per region, entries (`cpu-wrap-program-loop`), buffers that
    have their places (`cpu-place-buffers`) or are freed. Leaves: the same.
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"3000",
           "the operations of the longest block that stays whole">,
    Option<"piece", "piece", "int64_t", /*default=*/"500",
           "the operations of a piece">
  ];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def CpuPlaceBuffers : Pass<"cpu-place-buffers", "::mlir::ModuleOp"> {
  let summary = "Give each buffer its place in one scratch area";
  let description = [{
    Buffers of known size become parts of one area that belongs to the thread.
    The kernel gets it as a hidden parameter, and the entry asks the runtime for
    it once for each range of programs:

    ```c
    void *tritonSharedScratch(int64_t bytes);
    ```

    Two buffers share a place if the one is dead before the other begins. Each
    begins at a cache line.

    Needs: kernels with entries (`cpu-wrap-program-loop`), no buffer that
    outlives the iteration it is made in (`cpu-carry-in-place`). Leaves: no
    `memref.alloc` of known size; the area as the hidden parameter `scratch`,
    with its size as `tts.bytes`.
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
    (`expand-small-floats`). Leaves: no bf16.
  }];
}

#endif // TRITON_SHARED_CONVERSION_CPUPASSES
