//===- TritonTypes.td - Pointers and descriptors -----------*- tablegen -*-===//
//
// The two types of the dialect, and the sets of types its operations accept.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_TYPES
#define TRITON_SHARED_DIALECT_TRITON_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "triton-shared/Dialect/Triton/IR/TritonDialect.td"

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16,
                          F32, F64], "a float of 8 to 64 bits">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "a signless integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_I32Tensor : RankedTensorOf<[I32]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def TT_F32Like : AnyTypeOf<[F32, RankedTensorOf<[F32]>]>;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

class Triton_Type<string cppName, string typeMnemonic>
    : TypeDef<Triton_Dialect, cppName> {
  let mnemonic = typeMnemonic;
}

def TT_Ptr : Triton_Type<"Pointer", "ptr"> {
  let summary = "The address of an element in memory";
  let description = [{
    `!tt.ptr<f32>` points to a number, `!tt.ptr<!tt.ptr<f32>>` to a pointer, and
    `!tt.ptr<tensor<64x32xf16>>` (Triton up to 3.7) to a block. The address
    space is 1 unless written: an integer, or the word `"constant"` for 4.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType,
                                        CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class TT_PtrTo<Type pointee, string what> : Type<
    And<[TT_Ptr.predicate,
         SubstLeaves<"$_self",
                     "::mlir::cast<::mlir::triton::PointerType>($_self)"
                     ".getPointeeType()", pointee.predicate>]>,
    "a pointer to " # what, "::mlir::triton::PointerType">;

def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;
/// Triton's block pointers.
def TT_TensorPtr : TT_PtrTo<AnyRankedTensor, "a block">;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike]>;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

def TT_TensorDescType : Triton_Type<"TensorDesc", "tensordesc"> {
  let summary = "A strided tensor in memory, accessed in blocks";
  let description = [{
    Base, shape and strides live in the value; the type says the block. Blocks
    of integers are signed here (`<8x16xsi32>`) and signless as values.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [
    TypeBuilderWithInferredContext<
        (ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The block with its integers signless: the type of a loaded value.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

#endif // TRITON_SHARED_DIALECT_TRITON_TYPES
