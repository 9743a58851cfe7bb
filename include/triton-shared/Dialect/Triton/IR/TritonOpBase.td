//===- TritonOpBase.td - What all operations of `tt` share -*- tablegen -*-===//

#ifndef TRITON_SHARED_DIALECT_TRITON_OPBASE
#define TRITON_SHARED_DIALECT_TRITON_OPBASE

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton-shared/Dialect/Triton/IR/TritonAttrs.td"
include "triton-shared/Dialect/Triton/IR/TritonTypes.td"

class TT_Op<string opMnemonic, list<Trait> opTraits = []>
    : Op<Triton_Dialect, opMnemonic, opTraits>;

/// One number per element, of the operand's type.
class TT_SameTypeOp<string opMnemonic, list<Trait> opTraits = []>
    : TT_Op<opMnemonic,
            !listconcat([Elementwise, SameOperandsAndResultType, Pure],
                        opTraits)>;

/// One value per element, of another type.
class TT_ElementCastOp<string opMnemonic, list<Trait> opTraits = []>
    : TT_Op<opMnemonic,
            !listconcat([Elementwise, SameOperandsAndResultShape, Pure],
                        opTraits)> {
  let assemblyFormat = "$src attr-dict `:` custom<Conversion>(type($src), type($result))";
}

/// What other programs of the launch see: ordered, and never dropped.
def TT_GlobalMemory : Resource<"::mlir::triton::GlobalMemory">;

/// `to` has the type that `function` makes of `from`'s.
class TT_Derived<string what, string from, string to, string function>
    : TypesMatchWith<what, from, to, function # "($_self)">;
/// The same for operands that may be absent.
class TT_DerivedOptional<string what, string from, string to, string function>
    : OptionalTypesMatchWith<what, from, to, function # "($_self)">;

#endif // TRITON_SHARED_DIALECT_TRITON_OPBASE
