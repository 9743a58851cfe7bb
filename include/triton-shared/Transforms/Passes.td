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

    | offset of element `(i, j)`            | dimension 0            | dimension 1 |
    |---------------------------------------|------------------------|-------------|
    | `(64 * pid + i) * n + j`              | stride `n`             | stride 1    |
    | `((64 * pid + i) % m) * n + j`        | stride `n`, wraps at `m` | stride 1  |
    | `i`                                   | stride 1               | stride 0    |
    | `rows[i] * n + j`                     | stride `n`, by `rows`  | stride 1    |
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

    Needs: accesses of blocks as `tts.gather` and `tts.scatter`.
    Leaves: gathers and scatters only where no dimension has a stride, and
    `tts.size` on arguments and operations whose number has to be positive.
  }];
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
// Any phase
//===----------------------------------------------------------------------===//

def VerifyPhase : Pass<"verify-phase", "::mlir::ModuleOp"> {
  let summary = "Fail on what a phase may not contain";
  let description = [{
    Stands at the end of every phase and changes nothing. The first operation or
    type that the phase may not hold becomes an error that names it, the source
    line and the way out.

    Each phase has a list of the dialects that may be there. Of these, it does
    not hold:

    | phase        | not                                                       |
    |--------------|-----------------------------------------------------------|
    | `ttir`       | `tt.call`, more than one block in a `tt.func`             |
    | `structured` | blocks of pointers, accesses and address arithmetic of `tt`, block pointers, descriptors |
    | `linalg`     | types of `tt`                                             |
    | `memref`     | types of `tt`; of dialects, only upstream's               |
    | `cta`        | types of `tt`, tiles without a layout or on another number of warps than the kernel has |
    | `gpu`        | tiles                                                     |

    Needs: nothing. Leaves: the module as it was.
  }];
  let options = [
    Option<"phase", "phase", "std::string", /*default=*/"",
           "The phase whose contract is checked: ttir, structured, linalg, "
           "memref, cta or gpu">
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
    | `math.fma` on 16 bits            | the f32 operation between conversions |

    Formats without infinity overflow to NaN, as `ml_dtypes` does. Conversions
    between f16 and f32 to nearest stay: the hardware is right there.
    A pair of them is kept too (their `contract` flags go): it rounds.

    Needs: scalars, on the way to a CPU or a GPU; arithmetic on these types
    emulated in f32 (`arith-emulate-unsupported-floats`), with `keep-bfloat` but
    for bf16. Leaves: 8-bit floats only in memory, constants and bit casts.
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
// Within phase memref, on the way to fast code for the CPU
//===----------------------------------------------------------------------===//

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

    Needs: `linalg` on tensors. Leaves: the same, with copies.
  }];
  let options = [
    Option<"most", "most", "unsigned", /*default=*/"32",
           "branches and loops in a row that may share a block">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
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
    | `memref.load` of an `i1`        | `memref.load` of an `i8`, `arith.trunci` |
    | `memref.store` of an `i1`       | `arith.extui`, `memref.store`        |
    | an operand of `linalg.generic`  | the same at the ends of its body     |

    Needs: no tensors. Leaves: no memref of `i1` but global constants.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// Within phase cta
//===----------------------------------------------------------------------===//

def CtaFitWarps : Pass<"cta-fit-warps", "::mlir::ModuleOp"> {
  let summary = "Take no more warps than a program keeps busy";
  let description = [{
    Each thread should have one access of 16 bytes to make of the largest tile,
    and two where elements are combined (`cta.reduce`, `cta.scan`). So many
    warps remain:

    | largest tile        | element-wise | with a reduction |
    |---------------------|--------------|------------------|
    | 256 of f32          | 2            | 1                |
    | 512 of f16          | 2            | 1                |
    | 1024 of f32         | 8            | 4                |

    The number of warps never grows. Functions with matrix products keep theirs.

    Needs: `cta.num_warps`, tiles without layouts. Leaves: `cta.num_warps`.
  }];
}

def CtaAssignLayouts : Pass<"cta-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Decide which thread holds which elements of each tile";
  let description = [{
    Accesses and matrix products want particular layouts; everything else takes
    what its neighbours have. Layouts spread from these anchors, the largest
    first, through element-wise operations, shapes, loops and branches. Where
    two meet, what is cheap to make again (constants, `cta.iota` and arithmetic
    on them) is made again, and anything else goes through a
    `cta.convert_layout`.

    Needs: tiles without layouts. Leaves: a `#cta.layout` on every tile, equal
    on both sides of every operation but `cta.convert_layout`.
  }];
  let dependentDialects = ["::mlir::cta::CTADialect"];
}

def CtaPipelineLoads : Pass<"cta-pipeline-loads", "::mlir::ModuleOp"> {
  let summary = "Load what a product needs while earlier products are computed";
  let description = [{
    A load in a loop whose tile goes into a product becomes a `cta.copy` into a
    ring of `num-stages` slots, issued `num-stages` - 1 turns of the loop before
    it is read. What its address depends on is computed ahead with it. Before
    the loop stand the copies of the first turns; each turn waits for the oldest
    group of copies and issues the next one, if such a turn will come.

    A load stays as it is if
    - it has a mask, or an `other` that is not zero: copies can fill with
      nothing else;
    - fewer than 4 bytes of it lie side by side, all of them within bounds or
      none: copies are 4, 8 or 16 bytes;
    - its address depends on memory that the loop reads;
    - the loop may write to the argument that it reads, or waits for other
      threads: its order would change;
    - shared memory has no room for another ring: `shared-bytes` is for all.

    Needs: layouts. Leaves: `cta.copy`, `cta.commit` and `cta.wait` in loops.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3",
           "slots of a ring; 1 leaves all loads where they are">,
    Option<"sharedBytes", "shared-bytes", "int64_t", /*default=*/"166912",
           "shared memory that a program can have">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaStreamDots : Pass<"cta-stream-dots", "::mlir::ModuleOp"> {
  let summary = "Read the operands of a product in steps along K";
  let description = [{
    An operand that has to be exchanged between warps goes through a buffer:
    `cta.convert_layout` becomes `cta.write` and `cta.read`. One that a loop
    reads again and again and that is too large for registers is written before
    the loop. A product of operands in buffers becomes one per step of the
    instruction along K; the operands of a step are read before the product of
    the step before it, so that reading and multiplying overlap:

    ```mlir
    %a0 = cta.read %a[%slot] [0, 0]      %b0 = cta.read %b[%slot] [0, 0]
    %a1 = cta.read %a[%slot] [0, 16]     %b1 = cta.read %b[%slot] [16, 0]
    %c0 = cta.dot %a0, %b0, %c
    %c1 = cta.dot %a1, %b1, %c0
    ```

    Needs: layouts. Leaves: products on tensor cores whose operands are in the
    registers that the instruction takes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaOrderAccesses : Pass<"cta-order-accesses", "::mlir::ModuleOp"> {
  let summary = "Let threads see what others of their program have written";
  let description = [{
    A `gpu.barrier` before an access of memory that another thread of the
    program may have written, or may still read, through the same argument.
    None stands between accesses in which each thread goes to the same elements
    again, as in an update in place.

    Needs: layouts. Leaves: accesses in the order of the program, as far as one
    program can tell.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def CtaPackPrograms : Pass<"cta-pack-programs", "::mlir::ModuleOp"> {
  let summary = "Let several small programs share a block";
  let description = [{
    Blocks of one warp are started one by one and leave half of a multiprocessor
    empty. `cta.programs = 4` on a function says that the programs of four
    neighbouring ids in x are the warps of one block. Packed are functions that

    - use one warp, and neither shared memory nor a barrier,
    - are over soon: no loops, no tile of more than 1 KiB that is accessed,
    - cannot wait for another program: no atomic that reads or orders,
    - assert nothing, which all threads of a block wait for, and print nothing,
    - depend on the program id in x.

    Needs: `cta.num_warps`, `cta.shared`. Leaves: `cta.programs` where it is more
    than one.
  }];
}

#endif // TRITON_SHARED_TRANSFORMS_PASSES
