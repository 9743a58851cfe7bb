//===- TritonElementwiseOps.td - Arithmetic on elements ----*- tablegen -*-===//
//
// Arithmetic that the arith and math dialects do not have. Each element of the
// result comes from the elements at the same place in the operands.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_ELEMENTWISEOPS
#define TRITON_SHARED_DIALECT_TRITON_ELEMENTWISEOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def TT_BitcastOp : TT_ElementCastOp<"bitcast"> {
  let summary = "The same bits as another type of the same width";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Type:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_FpToFpOp : TT_Op<"fp_to_fp", [
    Elementwise, SameOperandsAndResultShape, Pure]> {
  let summary = "Converts between floats, with a chosen rounding";
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def TT_ClampFOp : TT_SameTypeOp<"clampf"> {
  let summary = "`x`, but at least `min` and at most `max`";
  let description = [{
    With `propagateNan = all` a NaN in `x` is the result, with `none` it is
    replaced by a bound.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict
    `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_SameTypeOp<"precise_sqrt"> {
  let summary = "The square root, rounded as IEEE 754 asks";
  let arguments = (ins TT_F32Like:$x);
  let results = (outs TT_F32Like:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class TT_BinaryOp<string opMnemonic, Type type> : TT_SameTypeOp<opMnemonic> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_BinaryOp<"precise_divf", TT_F32Like> {
  let summary = "The quotient, rounded as IEEE 754 asks";
}

def TT_ApproxDivFOp : TT_BinaryOp<"approx_divf", TT_F32Like> {
  let summary = "The quotient, to about two units in the last place";
}

def TT_MulhiUIOp : TT_BinaryOp<"mulhiui", TT_IntLike> {
  let summary = "The upper half of the product of two unsigned integers";
}

//===----------------------------------------------------------------------===//
// Code from outside
//===----------------------------------------------------------------------===//

class TT_ForeignOp<string opMnemonic> : TT_Op<opMnemonic, [
    Elementwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]>;

def TT_ExternElementwiseOp : TT_ForeignOp<"extern_elementwise"> {
  let summary = "Calls a function of a library for each element";
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname,
                       StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def TT_ElementwiseInlineAsmOp : TT_ForeignOp<"elementwise_inline_asm"> {
  let summary = "Runs a text of machine code for each pack of elements";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<TT_Type>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [
    SameOperandsAndResultShape, RecursiveMemoryEffects,
    RecursivelySpeculatable]> {
  let summary = "Runs a region for each pack of elements";
  let description = [{
    The region takes `pack` neighbouring elements of each operand (all elements
    of the first operand come first) and returns as many of each result. It may
    have several blocks.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let summary = "Ends the region of `tt.map_elementwise`";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
  let hasVerifier = 1;
}

#endif // TRITON_SHARED_DIALECT_TRITON_ELEMENTWISEOPS
