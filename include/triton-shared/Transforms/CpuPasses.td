//===- CpuPasses.td - Towards fast code for a CPU ----------*- tablegen -*-===//
//
// Tensors stay tensors, buffers buffers, the LLVM dialect itself. In the order in
// which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CPUPASSES
#define TRITON_SHARED_TRANSFORMS_CPUPASSES

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

    Infinities and NaNs stay. Products that are computed as on a GPU
    (`tts.gpu_product`) have operands as they are.

    Needs: linalg on tensors. Leaves: no such attribute.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CpuGeneralizeProducts : Pass<"cpu-generalize-products"> {
  let summary = "Write named operations of linalg as loops, but for a GPU's products";
  let description = [{
    Every named operation becomes a `linalg.generic`. Those that
    `linalg-mark-gpu-products` has marked stay: `cpu-call-tensor-cores` computes
    them when they are about memory.

    Needs: linalg. Leaves: `linalg.generic`, and marked products.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def CpuStartSums : Pass<"cpu-start-sums", "::mlir::func::FuncOp"> {
  let summary = "Let sums begin with their first element";
  let description = [{
    A `linalg.reduce` that adds floats to a block of 0.0, as phase `linalg`
    writes every sum, adds them to -0.0. That is the neutral element: a sum of
    -0.0 alone stays -0.0, as in Triton, where sums have no start.

    Needs: linalg on tensors, sums that are `linalg.reduce`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CpuUnrollDots : Pass<"cpu-unroll-dots", "::mlir::func::FuncOp"> {
  let summary = "Let a turn of a loop add several dots to its sum";
  let description = [{
    A loop that carries one block, to which each turn adds a dot of bf16 or bytes,
    becomes two: a turn of the first one does as many turns of the second one as have
    `depth` elements along the summed-up dimension together, and the second one
    does what is left. `cpu-tile-dots` reads and writes the sum once for the dots
    of a turn. Loops in such a loop, or a turn of many operations, leave it as it
    is.

    Needs: products that are `linalg.generic` on tensors. Leaves: the same.
  }];
  let options = [
    Option<"depth", "depth", "int64_t", /*default=*/"128",
           "elements along the summed-up dimension that a turn should have">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
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

def CpuTurnBlocks : Pass<"cpu-turn-blocks", "::mlir::func::FuncOp"> {
  let summary = "Compute blocks transposed whose columns lie in one piece";
  let description = [{
    Loops over vectors run along the last dimension of a block. Where memory has
    the first one side by side, as sums over the rows of a matrix do that keep
    its columns in the first dimension, the block is loaded, computed and stored
    with its two dimensions swapped:

    ```mlir
    %view = memref.reinterpret_cast %p to sizes: [64, 4], strides: [1, 128]
    %t = // the block at %view : tensor<64x4xf32>
    %r = linalg.generic // parallel, reduction : tensor<64x4xf32> to tensor<64xf32>
    ```

    becomes

    ```mlir
    %view = memref.reinterpret_cast %p to sizes: [4, 64], strides: [128, 1]
    %t = // the block at %view : tensor<4x64xf32>
    %r = linalg.generic // reduction, parallel : tensor<4x64xf32> to tensor<64xf32>
    ```

    Blocks that one operation reads or makes, or that a loop or a branch hands
    on, are swapped together or not at all: all of them if each one that lies
    side by side in memory does so along its first dimension, and nothing but
    operations on elements, reductions, loads and stores of boxes has part in
    them. Each number is computed as before, and sums are made in the same order.

    Needs: phase `memref`, computation as `linalg.generic`. Leaves: the same.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
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

def CpuChooseDestinations
    : Pass<"cpu-choose-destinations", "::mlir::func::FuncOp"> {
  let summary = "Let results go where bufferization needs no copy";
  let description = [{
    An element-wise operation that reads a block which a loop carries for the
    last time, and computes what the loop carries next, writes to that block.
    What `tensor.insert_slice` puts into a block is computed there. A block of
    one number is made in front of each operation that adds to it, instead of
    once and then copied.

    Needs: `linalg.generic` on tensors. Leaves: the same; common subexpressions
    may not be shared again before bufferization.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CpuReadInPlace : Pass<"cpu-read-in-place", "::mlir::func::FuncOp"> {
  let summary = "Read blocks where they are in memory";
  let description = [{
    A strided load of phase `memref` copies its block into a buffer. The copy
    goes where nothing needs it:

    | the block                                    | becomes               |
    |----------------------------------------------|-----------------------|
    | is whole                                     | the view of memory    |
    | may be cut off by a bound                    | `scf.if`: the buffer where it is cut off, else the view |
    | does not lie row by row (last stride not 1)  | as it was             |
    | may be written to before its last use        | as it was             |
    | is stored as it is, or carried by a loop     | as it was             |

    ```mlir
    %alloc = memref.alloc() : memref<8xf32>
    memref.copy %view, %alloc
    %t = bufferization.to_tensor %alloc restrict writable
    ```

    becomes

    ```mlir
    %t = bufferization.to_tensor %view restrict
    ```

    Needs: phase `memref`. Leaves: the same, upstream dialects only.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def CpuSeparateResults : Pass<"cpu-separate-results", "::mlir::func::FuncOp"> {
  let summary = "Give each operation a result of its own to write to";
  let description = [{
    Operations that write to one `tensor.empty` get one each: what is computed
    can then go to memory, and bufferization need not ask of each result how it
    stands with all the others.

    Needs: `linalg` on tensors. Leaves: the same; common subexpressions may not
    be shared again before bufferization.
  }];
  let options = [
    Option<"least", "least", "unsigned", /*default=*/"0",
           "the number of operations below which a function stays as it is">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def CpuBoundAliases : Pass<"cpu-bound-aliases", "::mlir::func::FuncOp"> {
  let summary = "Copy a block that many branches and loops have handed on";
  let description = [{
    The result of an `scf.if` or of a loop may be the block that it was given,
    so that a sequence of them is one set of aliases, and bufferization compares
    each use of the set with all the others. After `most` in a row, what follows
    reads a copy (`bufferization.alloc_tensor`), which begins a set of its own.
    So does what comes after the first `uses` of a block, as of a mask that all
    of a long kernel reads.

    Needs: `linalg` on tensors. Leaves: the same, with copies.
  }];
  let options = [
    Option<"most", "most", "unsigned", /*default=*/"32",
           "branches and loops in a row that may share a block">,
    Option<"uses", "uses", "unsigned", /*default=*/"128",
           "the uses of a block that are not of a copy">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
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

def CpuCarryInPlace : Pass<"cpu-carry-in-place", "::mlir::func::FuncOp"> {
  let summary = "Keep the buffers that a loop carries in one place";
  let description = [{
    Where a loop yields another buffer than it was given, the buffer gets one
    place outside of the loop, and each iteration ends with a copy into it:

    ```mlir
    %r = scf.for ... iter_args(%m = %init) -> (memref<64xf32>) {
      %new = memref.alloc() : memref<64xf32>
      ...
      scf.yield %new : memref<64xf32>
    }
    ```

    becomes

    ```mlir
    %place = memref.alloc() : memref<64xf32>
    memref.copy %init, %place
    scf.for ... {
      %new = memref.alloc() : memref<64xf32>
      ...
      memref.copy %new, %place
    }
    ```

    So a buffer that is made in a loop does not outlive the iteration.

    Needs: no tensors. Leaves: `scf.for` and `scf.while` that carry no buffers
    of known size.
  }];
  let dependentDialects = [
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def CpuWriteInPlace : Pass<"cpu-write-in-place", "::mlir::func::FuncOp"> {
  let summary = "Compute blocks where they are stored";
  let description = [{
    An element-wise operation whose buffer is only copied to memory writes to
    memory itself where that is right: the block is not cut off by a bound, and
    what it reads is either disjoint from what it writes or the very same
    elements. Both are asked at run time:

    ```mlir
    %free = ...
    %target = scf.if %free { scf.yield %view } else { scf.yield %buffer }
    linalg.generic ... outs(%target)
    scf.if not %free { memref.copy %buffer, %view }
    ```

    Needs: no tensors. Leaves: the same.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def CpuSplitMaskedLoops
    : Pass<"cpu-split-masked-loops", "::mlir::func::FuncOp"> {
  let summary = "Compute without a mask where it leaves all lanes";
  let description = [{
    A loop over vectors that compares its lanes with a bound becomes two: one
    up to where the comparison has one answer for all lanes, which is known in
    front of it, and one from there on. Both are the same but for the
    comparison, so that no result changes.

    Needs: `scf.for` over vectors, as `linalg-to-vector` leaves them. Leaves:
    the same.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def CpuWidenBooleans : Pass<"cpu-widen-booleans", "::mlir::func::FuncOp"> {
  let summary = "Keep booleans in memory as bytes";
  let description = [{
    A vector of booleans in memory is packed, a buffer of them is not. So
    buffers of `i1` become buffers of `i8`:

    | operation                       | becomes                              |
    |---------------------------------|--------------------------------------|
    | `memref.load` of an `i1`        | `memref.load` of an `i8`, `arith.cmpi ne` |
    | `memref.store` of an `i1`       | `arith.extui`, `memref.store`        |
    | an operand of `linalg.generic`  | the same at the ends of its body     |

    Needs: no tensors. Leaves: no memref of `i1` but global constants.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
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

def CpuSplitFunctions : Pass<"cpu-split-functions", "::mlir::ModuleOp"> {
  let summary = "Make functions of the pieces of a long kernel";
  let description = [{
    Where a block has more than `most` operations, with all that is nested,
    consecutive ones become private functions of about `piece` operations each,
    so that what LLVM does to a function takes a bounded time. Values that a
    piece reads are its arguments, values that it leaves its results; constants
    and views of memory are made again where they are read. A variable that
    one piece alone knows moves there, unless its address is handed on. Ordinary
    kernels stay one function.

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

#endif // TRITON_SHARED_TRANSFORMS_CPUPASSES
