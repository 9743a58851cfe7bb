//===- CtaAccessPasses.td - When memory is accessed --------*- tablegen -*-===//
//
// Within phase cta: which access comes before which, and before what else. In
// the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CTAACCESSPASSES
#define TRITON_SHARED_TRANSFORMS_CTAACCESSPASSES

include "mlir/Pass/PassBase.td"

def CtaSpreadRows : Pass<"cta-spread-rows", "::mlir::ModuleOp"> {
  let summary = "Let each lane store its part of what rows were reduced to";
  let description = [{
    Lanes that reduce rows together all get the results, of which one of them
    stores each. If only arithmetic lies between a reduction and stores, atomic
    updates that nobody wants the old value of, or another reduction, every lane
    gets a part of the rows instead:

    ```mlir
    // A thread has rows 0 to 3 of 32 columns.
    %sums = cta.reduce %x axis 1 : (tensor<4x32xf32>) -> tensor<4xf32>
    tts.store %sums to %out[%at] strides [1]
    // becomes, with lanes 0 to 3 each having one of the rows
    %sums = cta.reduce %x axis 1 spread : (tensor<4x32xf32>) -> tensor<4xf32>
    tts.store %sums to %out[%at] strides [1]
    ```

    Neighbours of a thread that one instruction stores stay together, unless
    every lane is left with one element. Sums of a loop's turns are added up in
    parts, too, and what is loaded for that arithmetic is loaded in parts. Masks
    and places that are made of numbers are made anew. Anything else that takes
    part keeps all as it was.

    Needs: layouts. Leaves: the same, and `cta.reduce spread`.
  }];
  let dependentDialects = ["::mlir::cta::CTADialect"];
}

def CtaLoadEarly : Pass<"cta-load-early", "::mlir::ModuleOp"> {
  let summary = "Begin loads before threads wait for each other";
  let description = [{
    A reduction or a scan along lanes or warps holds all threads until the
    slowest has its part. Loads that stand behind it in the same block begin
    before it, behind the loads that it waits for, if they need nothing but
    numbers:

    ```mlir
    %x = tts.load %row[%at] …
    %sum = cta.reduce %x …
    %w = tts.load %weights[%zero] …
    // becomes
    %x = tts.load %row[%at] …
    %w = tts.load %weights[%zero] …
    %sum = cta.reduce %x …
    ```

    None passes a write, an atomic operation, a barrier, an assertion, a loop, a
    branch or a product of matrices, and only so many go together as a thread
    has registers to hold: 64, of loads of less than eight bytes at once 8.

    Needs: layouts. Leaves: the same.
  }];
}

def CtaOrderAccesses : Pass<"cta-order-accesses", "::mlir::ModuleOp"> {
  let summary = "Let threads see what others of their program have written";
  let description = [{
    A `gpu.barrier` before an access of memory that another thread of the
    program may have written, or may still read, through the same argument.
    None stands between accesses in which each thread goes to the same elements
    again, as in an update in place, nor between those that have no element in
    common, also in different turns of a loop, by the forms of their offsets.
    What a loop has to wait for it waits for once, before its first turn.

    Needs: layouts. Leaves: accesses in the order of the program, as far as one
    program can tell.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // TRITON_SHARED_TRANSFORMS_CTAACCESSPASSES
