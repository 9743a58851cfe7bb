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
    accesses until `triton-pointers-to-structured` has run.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tts::TTSDialect"
  ];
}

def TritonPointersToStructured
    : Pass<"triton-pointers-to-structured", "::mlir::ModuleOp"> {
  let summary = "Take pointers apart into a base and an integer offset";
  let description = [{
    Mechanical and right for every program: no analysis of shapes or strides is
    involved. A pointer that provably starts at one scalar pointer becomes an
    offset from it; a pointer that may start at several becomes an offset from
    address zero. What a pointer can start at is a kernel argument, or a scalar
    that is an integer made a pointer, a pointer read from memory, or a cast to
    wider elements. Offsets count elements, and have 64 bits, as each
    `tt.addptr` extends its own.

    Where casts or integers come in, the distance may be no multiple of an
    element. Such an offset counts the largest unit that divides it for certain,
    in the end bytes, so that no bit of an address is lost. An access through a
    scalar like this begins at its address; through a block, offsets in elements
    from address zero are what its addresses are taken to be multiples of.

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
    | pointers that `tt.elementwise_inline_asm` is given | their addresses, as i64 |

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
    | `tt.func`, `tt.return`                   | `func.func`, `func.return`; six i32 follow the arguments, hidden parameters: grid sizes x, y, z, program ids x, y, z |
    | `!tt.ptr<T>`                             | `memref<*xT>` (`i8` for `i1`, `i64` for pointers); `memref<*xT, s>` in an address space that is neither global nor constant memory |
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
    | `tt.elementwise_inline_asm`              | what its instructions do, see below |
    | `tt.dot`                                 | `linalg.matmul`, `linalg.batch_matmul` |
    | `tt.dot_scaled`                          | scaled operands, then as `tt.dot` |
    | `tt.reduce`                              | `linalg.reduce`              |
    | `tt.scan`, `tt.histogram`                | `tts.scan`, `tts.histogram`; sums of small floats in f32 |
    | `tt.gather`, `tt.map_elementwise`        | `linalg.generic`             |
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

    Inline assembly is PTX, run on `packed_element` elements at a time. Its
    registers are integers of their width; an instruction that computes becomes
    arith and math on them, in the body of a `linalg.generic`; one that reads or
    writes global memory becomes `llvm.load` or `llvm.store` at its address, all
    of such a text in a loop over the elements in row-major order. A special
    register is an argument or a constant where it says which program this is,
    and a `tts.read_machine` otherwise. An instruction that means something to
    one kind of GPU only is an error that names it; so is an external function
    nobody knows. With `keep-assembly`, which is for that kind of GPU, a text
    that has such an instruction becomes `llvm.inline_asm` as it is, in the body
    of a `linalg.generic`.

    Barriers go: elements of a program run in order. With `keep-barriers` they
    stay, as `gpu.barrier`, for who has to know where a GPU has them.

    What another compiler does itself stays with it: `keep-program-ids` leaves
    `tt.get_program_id` and `tt.get_num_programs`, and adds no arguments;
    `keep-functions` leaves `tt.func` and `tt.return`, whose pointers become
    memrefs all the same. `asserts-to-cf` makes `cf.assert` of `tt.assert`, in a
    `linalg.generic` over the elements of a block, and of the checks of sizes
    (`tts.size`); program and line are then not known to the message.

    Needs: phase `structured`; inline assembly that takes addresses as integers,
    as `triton-pointers-to-structured` leaves it. Leaves: phase `linalg`, no `tt` op or
    type, no assembly.
  }];
  let options = [
    Option<"keepsBarriers", "keep-barriers", "bool", "false",
           "leave barriers within a program">,
    Option<"keepsProgramIds", "keep-program-ids", "bool", "false",
           "leave tt.get_program_id and tt.get_num_programs">,
    Option<"keepsFunctions", "keep-functions", "bool", "false",
           "leave tt.func and tt.return">,
    Option<"assertsToCf", "asserts-to-cf", "bool", "false",
           "turn tt.assert into cf.assert">,
    Option<"keepsAssembly", "keep-assembly", "bool", "false",
           "leave inline assembly that has no portable meaning">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tts::TTSDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Phase linalg -> memref
//===----------------------------------------------------------------------===//

def StructuredCheckAccesses
    : Pass<"structured-check-accesses", "::mlir::ModuleOp"> {
  let summary = "Have accesses ask whether they stay in their tensor";
  let description = [{
    A kernel gets one more written parameter, the last one: where the tensors of
    a launch lie (runtime/check/CheckedLaunch.h). Each access that starts from a
    parameter, or from an address that is computed of one parameter's, compares
    the first and the last element that it may touch with where that tensor
    begins and ends. If both are inside, as is the rule, the
    access goes where it went. If not, the runtime looks at the elements that
    take part, one by one, notes those that are outside, and says by how many
    elements the access is to be moved: 0 if all is well, else to memory that
    has what the tensor has, and zeros where it has nothing. What is written
    there comes back to the tensor afterwards.

    ```mlir
    %t = tts.load %x[%o] strides [1] : memref<*xf32> -> tensor<8xf32>
    ```

    becomes, with the extent of `%x` from `%first` to before `%end`,

    ```mlir
    %last = %o + 7
    %d = scf.if (%o >= %first and %last < %end) -> i64 {
      scf.yield %c0
    } else {
      func.call @tritonSharedCheckBegin(%views, %site, …)
      scf.for %i = %c0 to %c8 { func.call @tritonSharedCheckElement(%o + %i, %i) }
      %moved = func.call @tritonSharedCheckEnd() : () -> i64
      scf.yield %moved
    }
    %t = tts.load %x[%o + %d] strides [1] : memref<*xf32> -> tensor<8xf32>
    ```

    Numbers that are accessed atomically order programs, so the runtime is told
    when such an access has been made (`tritonSharedCheckFinish`), and where a
    program has a barrier (`tritonSharedCheckBarrier`, for `gpu.barrier`, which
    goes). Where elements of a store may share an address, it may ask for their
    values.

    Accesses through pointers that are no parameters (integers that became
    pointers, pointers read from memory, a choice between two) stay as they are.

    Needs: phase `linalg`. Leaves: phase `linalg`, with calls of the runtime.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tts::TTSDialect"
  ];
}

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
    | `tts.read_machine`                    | a call of the runtime; an error where it tells threads apart |
    | `tts.scan`                            | `scf.for` along the axis that carries the running slice and the result; `linalg.generic` on one slice per turn |
    | `tts.histogram`                       | `linalg.generic` over elements and bins that counts where they meet |

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
// Phase memref -> llir, on the CPU; phase linalg -> cta -> gpu -> llir, on GPUs
//===----------------------------------------------------------------------===//

include "triton-shared/Conversion/CpuPasses.td"
include "triton-shared/Conversion/GpuPasses.td"

//===----------------------------------------------------------------------===//
// Phase llir, on all
//===----------------------------------------------------------------------===//

def VectorTransfersToLoops
    : Pass<"vector-transfers-to-loops", "::mlir::ModuleOp"> {
  let summary = "Turn accesses of vectors that lie in pieces into loops";
  let description = [{
    By upstream's `convert-vector-to-scf`, which looks at every operation, and is
    run only where there is such an access: a `vector.transfer_read` or
    `vector.transfer_write` of several dimensions, or of one whose elements do
    not lie side by side.

    Needs: accesses of vectors are of memory. Leaves: accesses of vectors of one dimension.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def UpstreamToLlvm : Pass<"upstream-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn what is left of upstream's dialects into the LLVM dialect";
  let description = [{
    By upstream's patterns, in one conversion for all of them:

    | before                                 | after              |
    |----------------------------------------|--------------------|
    | `arith`, `math`, `index`, `ub`         | `llvm` arithmetic, on scalars and on vectors of one dimension |
    | `memref` of known strides              | descriptors, pointers, `llvm.load`, `llvm.store`, calls of `malloc` and `free` |
    | `cf`, `func`                           | `llvm.br`, `llvm.cond_br`, `llvm.func` |

    Needs: none of `scf` and `affine`, vectors of one dimension, functions of
    `math` that LLVM has. Leaves: the LLVM dialect, but for `gpu.module`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TRITON_SHARED_CONVERSION_PASSES
