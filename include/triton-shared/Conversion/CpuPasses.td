//===- CpuPasses.td - The way to a CPU ---------------------*- tablegen -*-===//
//
// Phase memref -> llir. In the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_CONVERSION_CPUPASSES
#define TRITON_SHARED_CONVERSION_CPUPASSES

include "mlir/Pass/PassBase.td"

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

def CpuTileDots : Pass<"cpu-tile-dots", "::mlir::ModuleOp"> {
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
    lie row by row are copied into a buffer by a `linalg.generic`; so is a right
    one whose rows lie apart, if those of the result read it often enough.

    A CPU with AMX multiplies whole matrices of bf16 or of bytes: parts of the
    result of up to 16 rows and columns stay in its eight registers, four at a
    time. The system has to allow that first. A function asks for it at its
    begin (`tritonSharedMayUseMatrixTiles`), and has both forms of such dots.

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
           "whether the CPU adds products of pairs of i16 to an i32">,
    Option<"hasBf16Tiles", "bf16-tiles", "bool", /*default=*/"false",
           "whether the CPU multiplies matrices of bf16">,
    Option<"hasInt8Tiles", "int8-tiles", "bool", /*default=*/"false",
           "whether the CPU multiplies matrices of bytes">
  ];
  let dependentDialects = [
    "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::linalg::LinalgDialect",
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
    | `sin`, `cos`, `tan`          | f32      | in f64; for large numbers, in a branch that lanes take together, after a product with enough bits of 1 / (2 pi) |
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
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
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
    | reduction that takes one of two tuples in any order, as `tl.argmax` | four tuples of vectors along the last dimension, then a tree |
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

def CpuCallRowUpdates : Pass<"cpu-call-row-updates"> {
  let summary = "Let the runtime add rows of floats to memory atomically";
  let description = [{
    A loop that adds the numbers of a row to memory, one `memref.atomic_rmw addf`
    of f32 or f64 after the other with offsets that are a row as well, becomes a
    call of `tritonSharedAddRowF32` or `tritonSharedAddRowF64`. That one adds
    neighbours by one exchange of 16 bytes, in the same order.

    ```mlir
    scf.for %i = %c0 to %c128 step %c1 {
      scf.if %condition { // or no branch, or what a row of booleans has at %i
        %n = memref.load %offsets[%c0, %i] : memref<1x128xi64>
        %offset = arith.index_cast %n : i64 to index
        %x = memref.load %values[%c0, %i] : memref<1x128xf32>
        %element = memref.reinterpret_cast %p to offset: [%offset], sizes: [1], strides: [1]
        memref.atomic_rmw addf %x, %element[%c0]
      }
    }
    ```

    What is read before the sum, and all other types, stay as they are.

    Needs: no tensors. Leaves: the same.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def CpuCallTensorCores : Pass<"cpu-call-tensor-cores"> {
  let summary = "Let the runtime compute products as a GPU does";
  let description = [{
    A `linalg.matmul` or `linalg.batch_matmul` on memory with `tts.gpu_product`
    becomes a call of `tritonSharedTensorCoreDot`, with addresses, strides and
    sizes, and the numbers of the attribute; one for each matrix of a batch.

    Needs: linalg on memory. Leaves: no `tts.gpu_product`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
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

#endif // TRITON_SHARED_CONVERSION_CPUPASSES
