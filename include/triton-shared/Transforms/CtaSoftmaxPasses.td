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
    %r = cta.reduce %x axis 1 : … { arith.maxnumf … }
    %t = cta.splat %scale : tensor<64xf32>
    %u = arith.mulf %r, %t : tensor<64xf32>
    %in_order = … // 0 < %scale, and not infinite
    %m = scf.if %in_order -> (tensor<64xf32>) {
      scf.yield %u : tensor<64xf32>
    } else {
      … // either end of the elements, times %scale
    }
    ```

    The smallest of elements likewise. A constant needs no branch; one that is
    not above zero, or infinite, stays. Products stay, too,
    - that are used for something else than sums, differences and what is
      largest;
    - if a number that is no constant scales them, and the largest one is none
      as soon as one of them is (`arith.maximumf`);
    - if a thread had no registers for the elements and the products beside what
      the loop carries, and, with `speculates`, beside powers that are thrown
      away where a maximum has grown.

    Needs: tiles without layouts, `cta.num_warps`. Leaves: the same.
  }];
  let options = [
    Option<"speculates", "speculates", "bool", /*default=*/"false",
           "powers are computed before the maximum is known">
  ];
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

def CtaSpeculateSoftmax : Pass<"cta-speculate-softmax", "::mlir::ModuleOp"> {
  let summary = "Compute powers before the maximum is known";
  let description = [{
    Where `cta-online-softmax` has a number that the powers of a turn are
    relative to, it is mostly that of the turn before. So they are computed
    relative to that one at once, without looking for the maximum. Their sums
    tell whether that was right: none is above 2^15, which f16 holds, nor a NaN.
    A warp in which one is computes the turn again as it was:

    ```mlir
    %m = cta.reduce %scores axis 1 : … { arith.maxnumf … }
    %new = arith.maxnumf %old, %m
    %number = arith.select %is_near, %old, %new {cta.relative}
    %factor = math.exp2 (%old - %number) {cta.relative}
    %powers = math.exp2 (%scores - %number)
    %sums = cta.reduce %powers axis 1 : … { arith.addf … }
    %rest = cta.rescale %sum by %factor
    // becomes
    %powers = math.exp2 (%scores - %old)
    %sums = cta.reduce %powers axis 1 : … { arith.addf … }
    %none = arith.cmpf une, (%old - %old), %zero
    %large = arith.cmpf ugt, %sums, %limit
    %again = cta.warp_any %none, %large
    %number, %powers, %sums, %rest = scf.if %again -> … {
      … // as above
    } else {
      scf.yield %old, %powers, %sums, %sum
    }
    ```

    The sums of before are relative to the same number exactly if e to the
    difference of the two is one, which is asked as well: it is no number in a
    row without a score so far. A loop stays as it is if
    - powers are not summed up as they are, so that nothing tells whether one is
      too large;
    - rows lie across warps, which would have to agree;
    - a power is rounded to a type that does not hold 2^15;
    - what the number is used for comes after something that waits for it.

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
