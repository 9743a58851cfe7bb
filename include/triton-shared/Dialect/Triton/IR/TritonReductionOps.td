//===- TritonReductionOps.td - Products, sums and scans ----*- tablegen -*-===//
//
// Operations in which an element of the result depends on many elements.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_REDUCTIONOPS
#define TRITON_SHARED_DIALECT_TRITON_REDUCTIONOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

def TT_DotOp : TT_Op<"dot", [
    Pure, TT_Derived<"the result has the accumulator's type", "d", "c", "">]> {
  let summary = "The matrix product `a * b + c`, or a batch of them";
  let description = [{
    `inputPrecision` says how operands of type f32 may be rounded before they
    are multiplied. `maxNumImpreciseAcc` allows so many additions in the
    precision of the hardware's 8-bit products before the sum is made in f32.
  }];
  let arguments = (ins TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c,
    DefaultValuedAttr<TT_InputPrecisionAttr,
                      "::mlir::triton::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [
    Pure, AttrSizedOperandSegments,
    TT_Derived<"the result has the accumulator's type", "d", "c", "">]> {
  let summary = "The matrix product of operands in microscaling formats";
  let description = [{
    One scale belongs to 32 or to 16 elements along the summed dimension, as
    the shapes say: an i8 is the exponent of a power of two; an absent scale is
    1. `a_elem_type` and `b_elem_type` say how to read the elements: two `e2m1` share an i8, along the summed dimension if
    `lhs_k_pack` or `rhs_k_pack` is set, else along the other one.
  }];
  let arguments = (ins
    RankedTensorOf<[TT_Float, I8]>:$a, RankedTensorOf<[TT_Float, I8]>:$b,
    TT_FloatTensor:$c,
    Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$a_scale,
    Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$b_scale,
    TT_ScaleDotElemTypeAttr:$a_elem_type, TT_ScaleDotElemTypeAttr:$b_elem_type,
    BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
    DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)?
    `->` type($d)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// Combines elements along `axis` with a region: two elements of each operand
/// in (all left ones first), one of each out. Printed in generic form.
class TT_CombiningOp<string opMnemonic>
    : TT_Op<opMnemonic, [SameOperandsShape, RecursiveMemoryEffects,
                         RecursivelySpeculatable, SingleBlock]> {
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The element type of each operand.
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
  }];
}

class TT_CombiningReturnOp<string opMnemonic, string parent>
    : TT_Op<opMnemonic, [HasParent<parent>, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ReduceOp : TT_CombiningOp<"reduce"> {
  let summary = "Combines all elements along a dimension into one";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
}

def TT_ReduceReturnOp : TT_CombiningReturnOp<"reduce.return", "ReduceOp"> {
  let summary = "Ends the region of `tt.reduce`";
}

def TT_ScanOp : TT_CombiningOp<"scan"> {
  let summary = "Combines each element with all before it along a dimension";
  let description = [{
    With `reverse`, with all after it.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
}

def TT_ScanReturnOp : TT_CombiningReturnOp<"scan.return", "ScanOp"> {
  let summary = "Ends the region of `tt.scan`";
}

#endif // TRITON_SHARED_DIALECT_TRITON_REDUCTIONOPS
