//===- TritonBlockAccessOps.td - Blocks of strided tensors -*- tablegen -*-===//
//
// Accesses that name a block of a strided tensor instead of an address for each
// element: tensor descriptors, and the block pointers of Triton up to 3.7.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_BLOCKACCESSOPS
#define TRITON_SHARED_DIALECT_TRITON_BLOCKACCESSOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TT_Derived<"the base points to the element type of the block",
               "result", "base", "getElementPointerType">]> {
  let summary = "A pointer to a block of a strided tensor";
  let description = [{
    The tensor starts at `base` and has `shape` and `strides`, counted in
    elements; the block starts at `offsets`, and the type of the result says its
    size. `order` lists the dimensions from the fastest changing one.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [
    Pure, TT_Derived<"the result has the pointer's type", "result", "ptr", "">]> {
  let summary = "Moves a block within its tensor";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [
    Pure, SameVariadicOperandSize]> {
  let summary = "Describes a strided tensor";
  let description = [{
    The tensor starts at `base` and has `shape` and `strides`, counted in
    elements. A block that leaves the tensor reads `padding` there.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOptionAttr,
                           "::mlir::triton::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict
    `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

class TT_DescriptorOp<string opMnemonic, list<Trait> opTraits>
    : TT_Op<opMnemonic, opTraits> {
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_DescriptorOp<"descriptor_load", [
    MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "Reads the block that starts at the indices";
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy);
  let results = (outs TT_FpIntTensor:$result);
  let hasCustomAssemblyFormat = 1;
}

def TT_DescriptorStoreOp : TT_DescriptorOp<"descriptor_store", [
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Writes the block that starts at the indices";
  let arguments = (ins TT_TensorDescType:$desc, TT_FpIntTensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict
    `:` qualified(type($desc)) `,` type($src)
  }];
}

def TT_DescriptorReduceOp : TT_DescriptorOp<"descriptor_reduce", [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Updates, atomically, the block that starts at the indices";
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind,
                       TT_TensorDescType:$desc, TT_FpIntTensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict
    `:` qualified(type($desc)) `,` type($src)
  }];
}

def TT_DescriptorGatherOp : TT_DescriptorOp<"descriptor_gather", [
    MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "Reads one row for each of `x_offsets`, from column `y_offset`";
  let arguments = (ins TT_TensorDescType:$desc, TT_I32Tensor:$x_offsets,
                       I32:$y_offset);
  let results = (outs TT_FpIntTensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict
    `:` functional-type(operands, results)
  }];
}

def TT_DescriptorScatterOp : TT_DescriptorOp<"descriptor_scatter", [
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Writes one row for each of `x_offsets`, from column `y_offset`";
  let arguments = (ins TT_TensorDescType:$desc, TT_I32Tensor:$x_offsets,
                       I32:$y_offset, TT_FpIntTensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)
  }];
}

#endif // TRITON_SHARED_DIALECT_TRITON_BLOCKACCESSOPS
