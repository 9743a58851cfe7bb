//===- CpuPasses.td - Towards fast code for a CPU ----------*- tablegen -*-===//
//
// Within phase memref. In the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CPUPASSES
#define TRITON_SHARED_TRANSFORMS_CPUPASSES

include "mlir/Pass/PassBase.td"

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

#endif // TRITON_SHARED_TRANSFORMS_CPUPASSES
