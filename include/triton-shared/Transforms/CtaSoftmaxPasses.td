//===- CtaSoftmaxPasses.td - Softmaxes over blocks ---------*- tablegen -*-===//
//
// Within phase cta: what becomes of the largest element of a block, and of the
// sums that are relative to it. In the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CTASOFTMAXPASSES
#define TRITON_SHARED_TRANSFORMS_CTASOFTMAXPASSES

include "mlir/Pass/PassBase.td"

def CtaScaleMaxima : Pass<"cta-scale-maxima", "::mlir::ModuleOp"> {
  let summary = "Scale the largest element rather than all of them";
  let description = [{
    Rounding keeps the order of numbers, so the largest of elements that are all
    multiplied by one number is the largest element, multiplied by it, bit by
    bit. The products that are left are subtracted from, in one operation of
    both:

    ```mlir
    %s = cta.splat %scale : tensor<64x64xf32>
    %y = arith.mulf %x, %s : tensor<64x64xf32>
    %m = cta.reduce %y axis 1 : … { arith.maxnumf … }
    // becomes
    %in_order = … // 0 < %scale, and not infinite
    %rare = scf.if %in_order -> (tensor<64xf32>) {
      scf.yield %zeros : tensor<64xf32>
    } else {
      … // either end of the elements, times %scale
    }
    %r = cta.reduce %x axis 1 : … { arith.maxnumf … }
    %t = cta.splat %scale : tensor<64xf32>
    %u = arith.mulf %r, %t : tensor<64xf32>
    %m = arith.select %in_order, %u, %rare
    ```

    The branch comes first, so that the usual largest element is in one block
    with what is computed from it: code generators see one at a time.

    The smallest of elements likewise. A constant needs no branch; one that is
    not above zero, or infinite, stays. Products stay, too,
    - that are used for something else than sums, differences and what is
      largest;
    - if a number that is no constant scales them, and the largest one is none
      as soon as one of them is (`arith.maximumf`);
    - if a thread had no registers for the elements and the products beside what
      the loop carries.

    Needs: tiles without layouts, `cta.num_warps`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaOnlineSoftmax : Pass<"cta-online-softmax", "::mlir::ModuleOp"> {
  let summary = "Raise the maximum of a softmax only when it has to be";
  let description = [{
    A loop that computes a softmax block by block carries the largest score so
    far, and sums relative to it: of powers, and of products with them. When the
    maximum grows, they are multiplied by a power of the difference. In rows
    where it grows by less than 2^8, they stay as they are, relative to the
    number that was there before:

    ```mlir
    %new = arith.maxnumf %old, %scores : tensor<64xf32>
    %growth = arith.subf %old, %new : tensor<64xf32>
    %factor = math.exp2 %growth : tensor<64xf32>
    %rest = arith.mulf %sum, %factor
    // becomes
    %new = arith.maxnumf %old, %scores : tensor<64xf32>
    %growth = arith.subf %old, %new : tensor<64xf32>
    %is_near = arith.cmpf oge, %growth, %minus_8 : tensor<64xf32>
    %number = arith.select %is_near, %old, %new
    %difference = arith.subf %old, %number : tensor<64xf32>
    %factor = math.exp2 %difference : tensor<64xf32> // mostly of zero
    %rest = cta.rescale %sum by %factor
    ```

    However the loop is spelled, everything that depends on the maximum is
    followed: differences with it, their powers, sums and matrix products of
    these, further loops that go on with what one has left, quotients and
    logarithms behind them. If any of it is not the same in the end with another
    number in the place of the maximum, the kernel stays as it is; so it does if
    a power is rounded to a type that does not hold 2^8, or summed up in 16 bits.
    docs/semantics.md has the bound of the error.

    Needs: tiles without layouts. Leaves: the same, and `cta.relative` on the
    choice of the number and on the power of what it has changed by.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaSumInThreads : Pass<"cta-sum-in-threads", "::mlir::ModuleOp"> {
  let summary = "Add up the parts of a softmax's sums behind its loop";
  let description = [{
    A turn of a softmax adds up the powers of each row. Threads that share a row
    need not know each other's powers before the loop is over: what there was is
    multiplied by one number for the row, and more is added. Each goes on with
    its part.

    ```mlir
    scf.for … iter_args(%sum = %zero) -> (tensor<64xf32>) {
      %turn = cta.reduce %powers axis 1 : (tensor<64x32xf32>) { arith.addf … }
      %scaled = arith.mulf %sum, %factor
      %next = arith.addf %scaled, %turn
    }
    // becomes, if four threads have columns 0, 1, 8, 9, … and so on of a row
    %parts = scf.for … iter_args(%part = %zeros) -> (tensor<64x4xf32>) {
      %split = cta.reshape %powers : … -> tensor<64x4x4x2xf32>
      … // sums along axes 3 and 1, which are those of one thread
      %factors = … // %factor, repeated
      %scaled = arith.mulf %part, %factors
      %next = arith.addf %scaled, %turn
    }
    %sum = cta.reduce %parts axis 1 : (tensor<64x4xf32>) { arith.addf … }
    ```

    What the loop begins with is all in the first thread's part. Only sums of
    powers, which have one sign, are carried so, and only times a power of a
    number that is not above zero: no other product could tell parts from the
    whole.

    Needs: layouts. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaSpeculateSoftmax : Pass<"cta-speculate-softmax", "::mlir::ModuleOp"> {
  let summary = "Compute powers before the maximum is known";
  let description = [{
    Where `cta-online-softmax` has a number that the powers of a turn are
    relative to, it is mostly that of the turn before. So they are computed
    relative to that one at once, without looking for the maximum. Their sums
    tell whether that was right: none is above 2^15, which f16 holds, nor a NaN.
    A warp in which one is computes the turn again as it was:

    ```mlir
    %scores = cta.wait_dot %product
    %m = cta.reduce %scores axis 1 : … { arith.maxnumf … }
    %new = arith.maxnumf %old, %m
    %number = arith.select %is_near, %old, %new {cta.relative}
    %factor = math.exp2 (%old - %number) {cta.relative}
    %powers = math.exp2 (%scores - %number)
    %sums = cta.reduce %powers axis 1 : … { arith.addf … }
    %few = arith.truncf %powers
    %rest = cta.rescale %sum by %factor
    // becomes
    %scores = cta.wait_dot %product
    %powers = math.exp2 (%scores - %old)
    %sums = cta.reduce %powers axis 1 : … { arith.addf … }
    %large = arith.cmpf ugt, %sums, %limit
    %again = cta.warp_any %large
    %number, %powers, %sums, %factor = scf.if %again -> … {
      … // as above, from operands of the product that are still there
    } else {
      scf.yield %old, %powers, %sums, %one
    }
    %few = arith.truncf %powers
    %rest = cta.rescale %sum by %factor
    ```

    Scores that are a product of `wgmma` are computed again by the warp's
    `mma.sync`, from shared memory: so no thread keeps them beside their powers.
    Warps give the operands back behind the branch, each for itself. Other
    scores are kept.

    The sums of before are relative to the same number exactly if e to the
    difference of the two is one: it is no number in a row without a score so
    far. That is asked as well where something else than the number itself is
    subtracted; otherwise no sum is a number there. A loop stays as it is if
    - powers are not summed up as they are, so that nothing tells whether one is
      too large;
    - rows lie across warps, which would have to agree;
    - a power is rounded to a type that does not hold 2^15;
    - what the number is used for comes after something that waits for it;
    - scores would be kept beside a product that goes on.

    Needs: layouts, what `cta-online-softmax` leaves. Leaves: the same, and
    `cta.warp_any`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaTakeTurns : Pass<"cta-take-turns", "::mlir::ModuleOp"> {
  let summary = "Let one group of warps multiply while another one computes";
  let description = [{
    Groups of four warps that begin a loop together stay together: all multiply
    at once, and share the tensor cores, and these rest while all of them
    compute powers. With turns one group multiplies, the second product of its
    turn of the loop and the first one of the next, while the others compute:

    ```mlir
    cta.wait_turn
    scf.for … {
      %s = cta.dot %q, %k, %zero goes_on
      cta.pass_turn
      %t = cta.wait_dot %s
      … // powers of %t
      cta.wait_turn
      %d = cta.dot %p, %v, %sum
    }
    cta.pass_turn
    ```

    Done in loops of `cta.specialize` whose groups wait for copies alone, before
    the product that most powers (`math.exp`, `math.exp2`) are computed for. A
    loop in which all groups meet, as at a barrier between them, stays as it is.

    Needs: layouts, barriers in their places. Leaves: the same, and
    `cta.wait_turn`, `cta.pass_turn`.
  }];
  let dependentDialects = ["::mlir::cta::CTADialect"];
}

#endif // TRITON_SHARED_TRANSFORMS_CTASOFTMAXPASSES
