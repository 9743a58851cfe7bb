//===- ValidationPasses.td - Kernels that are looked into --*- tablegen -*-===//
//
// For `triton_shared.diff` and `triton_shared.check`. They rewrite phase `ttir` to
// itself. Those for `diff` are no part of a pipeline, and every backend of Triton
// takes what they leave; that for `check` leaves notes for our own.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATIONPASSES
#define TRITON_SHARED_TRANSFORMS_VALIDATIONPASSES

include "mlir/Pass/PassBase.td"

def TritonPromoteFloats : Pass<"triton-promote-floats", "::mlir::ModuleOp"> {
  let summary = "Compute with f64 in the place of every other float";
  let description = [{
    What the kernel would compute if it did not round: every float is f64, in
    registers and in memory, and matrix products are not approximate.
    Conversions between floats go.

    | Triton                                       | becomes               |
    |----------------------------------------------|-----------------------|
    | f8, f16, bf16, f32, and what is made of them | f64                   |
    | `arith.extf`, `arith.truncf`, `tt.fp_to_fp`  | its operand           |
    | `tt.precise_sqrt`, `tt.precise_divf`, `tt.approx_divf` | `math.sqrt`, `arith.divf` |
    | `tt.dot`, `inputPrecision = tf32`            | `ieee`                |
    | `__nv_expf`, `__nv_fast_expf`                | `__nv_exp`            |

    What takes the bits of a float, or its address for a number, has no meaning
    then and is an error; so are inline assembly and `tt.dot_scaled`. For example

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f16>, %x: f32) {
      %0 = arith.truncf %x : f32 to f16
      tt.store %p, %0 : !tt.ptr<f16>
      tt.return
    }
    ```

    becomes

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f64>, %x: f64) {
      tt.store %p, %x : !tt.ptr<f64>
      tt.return
    }
    ```

    With `except`, one operation stays as it is written, between conversions: what
    it rounds is all that is rounded. Its number is that of a result, as
    `triton-probe-values` numbers values.

    Needs: phase `ttir`; with `except`, what `triton-probe-values` needs. Leaves:
    no float but f64, save round that operation.
  }];
  let options = [
    Option<"except", "except", "int64_t", /*default=*/"-1",
           "the number of a value whose operation stays as it is written">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def TritonDeriveBounds : Pass<"triton-derive-bounds", "::mlir::ModuleOp"> {
  let summary = "Compute beside every float how far off it may be";
  let description = [{
    Every float goes on as two f64, in registers and in memory: what it would be
    without rounding, and how far from that any right way of computing it may be.
    Each parameter for floats is two, one after the other; bounds of inputs are
    zero in memory, or what is known of them.

    | Triton                                    | bound of the result, u the unit roundoff of its type |
    |-------------------------------------------|------------------------------------------------------|
    | `arith.addf`, `subf`                      | ea + eb, and one rounding: u of the size             |
    | `arith.mulf`, `math.fma`                  | \|a\| eb + \|b\| ea + ea eb (+ ec), and one rounding |
    | `arith.divf` and other quotients          | (ea + \|r\| eb) / (\|b\| - eb), and 2 ulp; none if eb reaches \|b\| |
    | `arith.truncf`, `tt.fp_to_fp`, `sitofp`   | that of the operand, and one rounding                |
    | `tt.dot` of K                             | that of the operands, and (K + 4) 2 u of the products' sizes; tf32 adds 2^-10 of these, 8-bit floats count as 2^-13 |
    | sums by `tt.reduce`, `tt.scan` of n       | that of the operands, and n u of their sizes: any order |
    | `exp`, `exp2`, `log`, `log2`, `sqrt`, `rsqrt`, `erf`, `tanh`, `floor`, `ceil` | how far the function moves within the bound of its operand, and its documented units |
    | `sin`, `cos`                              | that of the operand, and 4 ulp                       |
    | maxima, minima, sizes, negatives          | the larger one of the operands' bounds               |
    | `arith.select` by a comparison within its bounds | the distance between both sides besides       |
    | what leaves the range of its type         | none: infinity                                       |

    What has no rule is an error at its line: a comparison of floats that decides a
    mask, a branch or an integer, other functions and reductions, floats that are
    combined in memory, and bits of floats.

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f32>, %x: f32) {
      %0 = math.absf %x : f32
      tt.store %p, %0 : !tt.ptr<f32>
      tt.return
    }
    ```

    becomes

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f64>, %pb: !tt.ptr<f64>, %x: f64, %xb: f64) {
      %0 = math.absf %x : f64
      tt.store %p, %0 : !tt.ptr<f64>
      tt.store %pb, %xb : !tt.ptr<f64>
      tt.return
    }
    ```

    Needs: phase `ttir`, without calls. Leaves: no float but f64.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::triton::TritonDialect"];
}

def TritonExactFloats : Pass<"triton-exact-floats", "::mlir::ModuleOp"> {
  let summary = "Compute with integers that wrap around in the place of floats";
  let description = [{
    Results that do not depend on the order of sums, nor on where they are
    rounded: two targets that do the same leave the same bits. Every float is a
    number of a ring, an integer of 64 bits, in registers and in memory:

    | Triton                                        | becomes                      |
    |-----------------------------------------------|------------------------------|
    | a whole number up to 2^53, as a constant      | that integer                 |
    | any other constant                            | an odd integer, scrambled from its bits |
    | `arith.addf`, `subf`, `mulf`, `negf`, `math.fma` | `addi`, `subi`, `muli`    |
    | `tt.dot`                                      | 36 `tt.dot` of bytes, added up by their place |
    | `arith.extf`, `arith.truncf`, `tt.fp_to_fp`   | its operand                  |
    | `arith.sitofp`, `arith.uitofp`                | `extsi`, `extui`             |
    | `arith.divf`                                  | a product with the function `reciprocal` |
    | `math`, `tt.extern_elementwise`               | its name and its operands, scrambled to an odd integer; `exp` of 0 is 1, `sqrt` of 1 is 1 |
    | `tt.atomic_rmw fadd`                          | `add`                        |
    | `!tt.ptr<f16>`                                | `!tt.ptr<i64>`               |

    Where a kernel compares floats, picks one of them or makes integers of them,
    every float is an f64 besides, in registers and in memory, and decides: each parameter
    for floats is two, one after the other. Of two that are equal in f64, the
    larger number of the ring is the maximum. `tt.exact_tracks` on the module is 2
    then, else 1.

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f16>, %x: f32) {
      %0 = arith.mulf %x, %x : f32
      %1 = arith.truncf %0 : f32 to f16
      tt.store %p, %1 : !tt.ptr<f16>
      tt.return
    }
    ```

    becomes

    ```mlir
    tt.func @kernel(%p: !tt.ptr<i64>, %x: i64) {
      %0 = arith.muli %x, %x : i64
      tt.store %p, %0 : !tt.ptr<i64>
      tt.return
    }
    ```

    What takes the bits of a float, or its address for a number, is an error; so
    are inline assembly on floats, `tt.dot_scaled`, and updates of memory that
    compare floats. `tt.print` of floats goes.

    Needs: phase `ttir`, without calls. Leaves: no float but f64.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def TritonProbeValues : Pass<"triton-probe-values", "::mlir::ModuleOp"> {
  let summary = "Have one program write down what it computes";
  let description = [{
    The kernel gets one more parameter, a pointer to i32. The program that the
    memory there names appends each of its values, as it computes them, in the
    order of the program; other programs write nothing. Words of 32 bits:

    | words | what                                                         |
    |-------|--------------------------------------------------------------|
    | 0     | how many words were, or would have been, appended            |
    | 1, 2  | the first word of that count which is kept, and the end      |
    | 3..5  | the program                                                  |
    | 8..   | what is kept: for each value its number, how many words it takes with these two, and its elements |

    Elements are in row-major order: their bits, extended with zeros; of those
    with 64 bits first all lower halves. Values are numbered in the order of the
    text: numbers and blocks of them, parameters too, but no constants and no
    pointers; variables that a loop carries at the start of its body; and nothing
    in the region of a reduction. `tt.probes` on the module is JSON: of each of the `values` the
    operation, result, type, place, variable, the numbers of the operands (-1: not
    probed) and of what lies behind those that are not probed, of what is loaded the
    parameter whose memory it is from and the place of the loop round it; of the
    `stores` the same, and the parameter whose memory they write.

    Probes are stores under a mask, and no branches: what is computed stays. With
    `only`, there is one probe, and no atomic operation: a compiler sees little of
    it. The memory keeps the value as it was computed last.

    Needs: calls and branches as `triton-inline-calls` and
    `triton-structure-control-flow` leave them. Leaves: kernels with the
    parameter.
  }];
  let options = [
    Option<"only", "only", "int64_t", /*default=*/"-1",
           "write down the value with this number alone">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonExtractOperation
    : Pass<"triton-extract-operation", "::mlir::ModuleOp"> {
  let summary = "Make a kernel of one operation";
  let description = [{
    What is left computes one value of those that `triton-probe-values` numbers,
    from memory: a pointer to the result, then one to each operand that is
    probed; operands that are constants are copied. Blocks lie in memory in
    row-major order.

    ```mlir
    // number = 3: %5 = arith.mulf %4, %x : tensor<64xf32>
    tt.func @operation(%out: !tt.ptr<f32>, %0: !tt.ptr<f32>, %1: !tt.ptr<f32>)
    ```

    An operation that accesses memory, has a pointer for an operand or carries
    what others compute is an error.

    Needs: what `triton-probe-values` needs. Leaves: one kernel, `operation`.
  }];
  let options = [
    Option<"number", "number", "int64_t", /*default=*/"0",
           "the number of the value">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonCheckValues : Pass<"triton-check-values", "::mlir::ModuleOp"> {
  let summary = "Note where values are wrong, and which operation is to blame";
  let description = [{
    Beside a value that may be wrong goes a block of i32, its causes: for each
    element the number of the operation that made it wrong, 0 where it is right.
    Causes follow the program through arithmetic, views, loops and branches; of
    several, the operation that comes first is to blame. Where a wrong element
    matters, a `tts.note` has the causes of those that take part.

    | wrong                | is caused by                  | matters in                   |
    |----------------------|-------------------------------|------------------------------|
    | undefined            | a masked load without `other` | a store, an address, a mask, a branch, a sum with defined elements |
    | wrapped around       | an integer sum, difference, product, left shift or truncation to less than 64 bits | an address |
    | infinite, or no number | the first operation that makes it of operands that are not | a store |
    | a hint that is false | `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy`, `tl.assume`, an argument that was taken for divisible | itself |

    ```mlir
    %v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    tt.store %q, %v : tensor<8x!tt.ptr<f32>>
    ```

    becomes

    ```mlir
    %v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %c = arith.select %m, %zero, %one : tensor<8xi1>, tensor<8xi32>
    tts.note "{…}", %c : tensor<8xi32>
    tt.store %q, %v : tensor<8x!tt.ptr<f32>>
    ```

    What is computed stays. Hints go once they are noted: nothing that follows
    believes a false one. A bitwise operation or an unsigned one ends the
    causes of a wrapped integer: hashes and random numbers wrap on purpose.

    Needs: calls and branches as `triton-inline-calls` and
    `triton-structure-control-flow` leave them. Leaves: the same, with notes,
    which `structured-check-accesses` makes calls of the runtime.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tts::TTSDialect"
  ];
}

#endif // TRITON_SHARED_TRANSFORMS_VALIDATIONPASSES
