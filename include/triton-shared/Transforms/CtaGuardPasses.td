//===- CtaGuardPasses.td - Where nothing is cut ------------*- tablegen -*-===//
//
// Within phase cta: masks and bounds are for the few blocks that they cut. The
// others get code of their own, without them. In the order in which the
// pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CTAGUARDPASSES
#define TRITON_SHARED_TRANSFORMS_CTAGUARDPASSES

include "mlir/Pass/PassBase.td"

def CtaSplitLoops : Pass<"cta-split-loops", "::mlir::ModuleOp"> {
  let summary = "Leave masks out of the turns in which they cut nothing";
  let description = [{
    Blocks of scores have a mask, though only those on a diagonal, on the edge
    of a window or at the end of the keys are cut by it. A loop of matrix
    products that chooses by such masks is cut into two or three, one behind
    the other: in the middle one no mask is left.

    ```mlir
    %r = scf.for %i = %c0 to %end step %c64 … {
      %s = cta.dot …
      %seen = arith.cmpi sge, %rows, %columns // first + iota >= i + iota
      %t = arith.select %seen, %s, %none
      …
    }
    // becomes
    %turns = … // how often i + 63 <= first, up to the end
    %to = %turns * 64
    %m = scf.for %i = %c0 to %to step %c64 … {
      %s = cta.dot …
      … // with %s for %t
    }
    %r = scf.for %i = %to to %end step %c64 iter_args(… = %m) { … } // as it was
    ```

    Masks that are true from some turn on have a loop before it instead, and
    those that are the same in all turns count as true in all or in none. Bounds
    of loads that move are left out as masks are, but those of tensor
    descriptors, which say where the tensor ends. A loop stays as it is
    - if another one is in it, or it steps by a number that is no constant;
    - if one of products stands beside it that has no masks: then its author has
      split it;
    - if no thread has 32 elements of a tile that is chosen from: there a mask
      costs less than another loop;
    - if its masks compare something else than indices that change by the same
      amount in each turn, or are known to cut in every turn.

    Needs: tiles without layouts, `cta.num_warps`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaGuardRows : Pass<"cta-guard-rows", "::mlir::ModuleOp"> {
  let summary = "Load row after row where no row of a block is cut";
  let description = [{
    `where(i < M, i, 0)` takes rows behind the end of a matrix for its first one,
    so that the rows of a block are gathered. A loop of products with such loads
    becomes two, on a GPU whose copy engine gains by it: where the block ends
    before `M`, its rows follow each other. Of columns that were cut, threads
    load neighbours at once there: products read the tile from shared memory,
    whoever has loaded it.

    ```mlir
    %r = scf.for … { %a = tts.load %p[%at] strides [%s, 1] gather [0] by(%i) … }
    // becomes
    %r = scf.if %inside -> … {
      %rows = scf.for … { %a = tts.load %p[%place] strides [%s, 1] … }
      scf.yield %rows
    } else {
      %as_before = scf.for … { … }
      scf.yield %as_before
    }
    ```

    Needs: layouts, instructions of products. Leaves: the same.
  }];
}

def CtaGuardBoxes : Pass<"cta-guard-boxes", "::mlir::ModuleOp"> {
  let summary = "Walk over matrices by the copy engine where a program can";
  let description = [{
    A loop by pointers loads boxes of tensors if no block reaches beyond the end
    of a dimension that wraps (`GuardedBoxAnalysis`), or if all stores end there
    (`isUnstoredBeyondEnd`), and if the launch could make tensor maps of its
    arguments, where addresses and strides are multiples of 16 bytes. So on a GPU with TMA there are two loops
    of it: one whose loads are boxes, and the one that was there.

    ```mlir
    %r = scf.for %k = … iter_args(%sum = …, %at = %c0) -> … {
      %high = arith.subi %K, %begin
      %a = tts.load %p[%at] strides [%s, 1] wrap [0] from(%row) size(%M)
             bounds [1] from(%c0) to(%high) …
      …
    }
    // becomes
    %last = arith.addi %row, %c128
    %inside = arith.cmpi sle, %last, %M
    %have_maps = arith.cmpi eq, %missing, %c0
    %both = arith.andi %have_maps, %inside
    %r = scf.if %both -> … {
      %boxes = scf.for %k = … {
        %a = tts.load %p[%place] strides [%s, 1]
               bounds [0, 1] from(%before_row, %before_begin) to(%rest, %high) …
        …
      }
      scf.yield %boxes
    } else {
      %as_before = scf.for %k = … { … }
      scf.yield %as_before
    }
    ```

    `%missing` is the hidden parameter `tensor_maps.missing`. With `assumes-maps`
    a function whose guards ask for nothing but what a launch knows has no
    guards: its loops load boxes, and `cta.assumes_maps` on it says that a launch
    without all maps needs another form of the kernel. So does one that comes too
    far by `cta.launch_bounds`, which gives how far its boxes begin by its
    parameters and the sizes of its grid.

    A matrix of a batch, or a head of an attention, lies behind others: what its
    offset has besides is a number of rows of a tensor that goes on and on. Then
    the guard asks as well whether all turns begin within 2^30 rows or columns,
    and whether the last one ends where K does, so that nothing behind that is
    read.

    Loops one behind the other have one guard, and stand in its branches with
    what is between them, if all that it asks for can be computed before the
    first: so no run has boxes in one of them and threads that copy in another,
    as `cta-specialize-warps` needs it. A loop without a turn asks for nothing.

    A loop stays if one of the loads that its products read from shared memory is
    no box, or if a product adds up in registers of its own: two loops would
    spill. So does one in which threads copy rows of numbers in each turn, as
    that of a gradient, if a box has fewer than 64 rows: they copy these as soon
    as they would ask for them, and wait for copies anyway. So do all loops of a
    kernel with boxes that its author has described, as by descriptors: its
    tensor maps must be there.

    Needs: layouts, `cta.target`. Leaves: the same.
  }];
  let options = [
    Option<"assumesMaps", "assumes-maps", "bool", /*default=*/"false",
           "launches have all tensor maps, or another form of the kernel">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CtaHoistGuards : Pass<"cta-hoist-guards", "::mlir::ModuleOp"> {
  let summary = "Ask once whether all tiles of a program are boxes";
  let description = [{
    A persistent program walks over tiles of the result, and asks in each turn
    what `cta-guard-rows` and `cta-guard-boxes` ask for. A program for which
    that holds in all turns gets a loop that does not ask: then nothing but
    boxes is in it, and `cta-specialize-warps` can copy for the next tile while
    this one is stored.

    ```mlir
    scf.for %tile = %program to %tiles step %programs {
      %row = …
      %inside = arith.cmpi sle, %row, %last
      %r = scf.if %inside -> … { %boxes … } else { … } {cta.guard}
      …
    }
    // becomes
    %all = cta.all_turns from %program to %tiles step %programs : i32 {
    ^bb0(%tile: i32):
      %row = …
      %inside = arith.cmpi sle, %row, %last
      cta.yield %inside : i1
    }
    scf.if %all {
      scf.for %tile = %program to %tiles step %programs { %boxes … }
    } else {
      scf.for … // as it was
    }
    ```

    A loop stays if another one is around it, or if its guards ask for more than
    numbers computed from that of the turn.

    Needs: layouts, `cta.guard`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaGuardBlocks : Pass<"cta-guard-blocks", "::mlir::ModuleOp"> {
  let summary = "Move blocks that lie inside of their tensor by wide accesses";
  let description = [{
    Of the sizes in a tensor descriptor nothing is known, so each element of a
    row is moved by itself if its bound lets it be. Where bounds alone are the
    reason, a load or store by threads gets a second form:

    ```mlir
    %0 = tts.load %p[%o] strides [%s, 1] bounds [0, 1] from (%z, %z) to (%m, %n)
           : memref<*xf16> -> tensor<64x128xf16, #l>
    // becomes
    %inside = … // %z <= 0 and %m >= 64 and %n >= 128
    %0 = scf.if %inside -> tensor<64x128xf16, #l> {
      %1 = tts.load %p[%o] strides [%s, 1] : memref<*xf16> -> …
      scf.yield %1 : tensor<64x128xf16, #l>
    } else {
      … // as it was
    }
    ```

    Loads that run ahead of a loop stay as they are.

    Needs: layouts. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TRITON_SHARED_TRANSFORMS_CTAGUARDPASSES
