//===- TritonShapeOps.td - Making and rearranging blocks ---*- tablegen -*-===//
//
// Operations that make a block, or move its elements, and compute nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_SHAPEOPS
#define TRITON_SHARED_DIALECT_TRITON_SHAPEOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

class TT_ViewOp<string opMnemonic, list<Trait> opTraits = []>
    : TT_Op<opMnemonic,
            !listconcat([Pure, SameOperandsAndResultElementType], opTraits)>;

//===----------------------------------------------------------------------===//
// Making blocks
//===----------------------------------------------------------------------===//

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "The integers from `start` up to, not including, `end`";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplatOp : TT_ViewOp<"splat"> {
  let summary = "A block of one repeated value";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` custom<Conversion>(type($src), type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [
    Pure, TT_Derived<"the result is the element", "src", "result",
                     "::mlir::getElementTypeOrSelf">]> {
  let summary = "The element of a block that has only one";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

def TT_ExpandDimsOp : TT_ViewOp<"expand_dims"> {
  let summary = "Adds a dimension of size 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "int":$axis)>];
  let assemblyFormat = "$src attr-dict `:` custom<Conversion>(type($src), type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_BroadcastOp : TT_ViewOp<"broadcast"> {
  let summary = "Repeats a block along its dimensions of size 1";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` custom<Conversion>(type($src), type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_ReshapeOp : TT_ViewOp<"reshape"> {
  let summary = "The same elements in another shape";
  let description = [{
    Elements keep their row-major order, unless `allow_reorder` gives it away.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)?
    (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_TransOp : TT_ViewOp<"trans"> {
  let summary = "Dimension `i` of the result is dimension `order[i]` of `src`";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$src,
                                 "::llvm::ArrayRef<int32_t>":$order)>];
  let assemblyFormat = "$src attr-dict `:` custom<Conversion>(type($src), type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Several blocks
//===----------------------------------------------------------------------===//

def TT_CatOp : TT_ViewOp<"cat", [SameTypeOperands]> {
  let summary = "Two blocks as one, in an order of the compiler's choice";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_ViewOp<"join", [SameTypeOperands]> {
  let summary = "Two blocks side by side in a new last dimension of size 2";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_Op<"split", [
    Pure, TT_Derived<"both results have the same type", "outLHS", "outRHS", "">]> {
  let summary = "The two halves of a block whose last dimension has size 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure]> {
  let summary = "Picks elements of a block along one dimension";
  let description = [{
    `result[i, j] = src[i, indices[i, j]]` for `axis = 1`.
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [
    Pure, TT_DerivedOptional<"the mask has an i1 for each element",
                             "src", "mask", "getMaskType">]> {
  let summary = "How often each number below the size of the result occurs";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolTensor>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = [{
    $src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TRITON_SHARED_DIALECT_TRITON_SHAPEOPS
