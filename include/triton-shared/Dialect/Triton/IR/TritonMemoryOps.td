//===- TritonMemoryOps.td - Addresses, loads and stores ----*- tablegen -*-===//
//
// Pointer arithmetic, and reading and writing through pointers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_MEMORYOPS
#define TRITON_SHARED_DIALECT_TRITON_MEMORYOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def TT_AddPtrOp : TT_Op<"addptr", [
    Pure, Elementwise, SameOperandsAndResultShape,
    TT_Derived<"the result has the pointer's type", "ptr", "result", "">]> {
  let summary = "Moves a pointer by a number of elements";
  let description = [{
    The offset is sign-extended to 64 bits before it is scaled and added.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
}

def TT_IntToPtrOp : TT_ElementCastOp<"int_to_ptr"> {
  let summary = "A 64-bit integer as an address";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
}

def TT_PtrToIntOp : TT_ElementCastOp<"ptr_to_int"> {
  let summary = "An address as a 64-bit integer";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

def TT_LoadOp : TT_Op<"load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TT_Derived<"the result has the type that the pointer points to",
               "ptr", "result", "getPointeeType">,
    TT_DerivedOptional<"the mask has an i1 for each element",
                       "ptr", "mask", "getMaskType">,
    TT_DerivedOptional<"'other' has the type of the result",
                       "ptr", "other", "getPointeeType">]> {
  let summary = "Reads an element, or a block of them";
  let description = [{
    Where the mask is 0, nothing is read and the result is `other`. Through a
    pointer to a block (Triton up to 3.7), `boundaryCheck` lists the dimensions
    along which the block may leave its tensor, and `padding` is what it has
    there. Cache hints are in `cache` and `evict`; the generic form of Triton 3.8
    and later has them in `cachePolicy` instead.
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr,
    Optional<TT_BoolLike>:$mask,
    Optional<TT_Type>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOptionAttr>:$padding,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Type:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr,
                   CArg<"::mlir::triton::CacheModifier",
                        "::mlir::triton::CacheModifier::NONE">:$cache,
                   CArg<"::mlir::triton::EvictionPolicy",
                        "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
                   CArg<"bool", "false">:$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask,
                   "::mlir::Value":$other,
                   CArg<"::mlir::triton::CacheModifier",
                        "::mlir::triton::CacheModifier::NONE">:$cache,
                   CArg<"::mlir::triton::EvictionPolicy",
                        "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
                   CArg<"bool", "false">:$isVolatile)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_StoreOp : TT_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TT_Derived<"the value has the type that the pointer points to",
               "ptr", "value", "getPointeeType">,
    TT_DerivedOptional<"the mask has an i1 for each element",
                       "ptr", "mask", "getMaskType">]> {
  let summary = "Writes an element, or a block of them, where the mask is 1";
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr,
    TT_Type:$value,
    Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy,
    UnitAttr:$ignore_cta);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
                   CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"::mlir::triton::CacheModifier",
                        "::mlir::triton::CacheModifier::NONE">:$cache,
                   CArg<"::mlir::triton::EvictionPolicy",
                        "::mlir::triton::EvictionPolicy::NORMAL">:$evict)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TRITON_SHARED_DIALECT_TRITON_MEMORYOPS
