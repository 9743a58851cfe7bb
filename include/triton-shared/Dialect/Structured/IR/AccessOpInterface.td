//===- AccessOpInterface.td - What all accesses have ------*- tablegen -*-===//
//
// Analyses and layouts ask an access where it goes and what it moves, without
// knowing which of the operations of `tts` it is. An operation that implements
// the interface takes part in all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_ACCESSOPINTERFACE
#define TRITON_SHARED_DIALECT_STRUCTURED_ACCESSOPINTERFACE

include "mlir/IR/OpBase.td"

def TTS_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::mlir::tts";
  let description = [{
    One access of memory: a number or a block at `base + offset`. Either the
    offset is one number and `getDimensions` says where the elements of a block
    lie, or there is one offset per element.
  }];
  let methods = [
    // Where
    InterfaceMethod<"What the access starts from.", "::mlir::Value", "getBase">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getBaseMutable">,
    InterfaceMethod<"An i64, or a tensor of one per element.",
      "::mlir::Value", "getOffset">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getOffsetMutable">,
    InterfaceMethod<[{
        The dimensions of the block in order; empty for a scalar access and
        where each element has an offset of its own.
      }], "::llvm::SmallVector<::mlir::tts::DimensionAccess>", "getDimensions",
      (ins), "", "return {};">,
    InterfaceMethod<"The dimension that `operand` holds the indices of.",
      "::std::optional<int64_t>", "findGatheredDim",
      (ins "::mlir::OpOperand &":$operand), "", "return ::std::nullopt;">,
    InterfaceMethod<"Which elements take part; null if all do.",
      "::mlir::Value", "getMask", (ins), "", "return nullptr;">,
    // What
    InterfaceMethod<[{
        The operand that an access writes if that is all it does; null if it
        gives what it reads.
      }], "::mlir::OpOperand *", "getStored", (ins), "", "return nullptr;">,
    InterfaceMethod<"What moves, a block or a number: the result, or what is stored.",
      "::mlir::Value", "getTile", (ins), "", [{
        if (::mlir::OpOperand *stored = $_op.getStored())
          return stored->get();
        return $_op->getResult(0);
      }]>,
    InterfaceMethod<"What is read where nothing is; null if it is undefined.",
      "::mlir::Value", "getOther", (ins), "", "return nullptr;">,
    InterfaceMethod<[{
        True for an operand that ends up in memory, is compared with it or ends
        up in the result, and does not say where the access goes.
      }], "bool", "isData", (ins "::mlir::Value":$operand), "", [{
        ::mlir::OpOperand *stored = $_op.getStored();
        return stored ? operand == stored->get() : operand == $_op.getOther();
      }]>,
    // How
    InterfaceMethod<"True if memory may be different afterwards.",
      "bool", "isWrite", (ins), "", "return $_op.getStored() != nullptr;">,
    InterfaceMethod<"True if the access must happen where, and as often as, the source says.",
      "bool", "isVolatile", (ins), "", "return false;">,
    InterfaceMethod<"How an atomic access is ordered; nothing if it is not atomic.",
      "::std::optional<::mlir::tts::MemoryOrder>", "getAtomicOrder", (ins), "",
      "return ::std::nullopt;">,
    InterfaceMethod<[{
        True if the program stays at the access until memory has a certain
        value.
      }], "bool", "waits", (ins), "", "return false;">,
  ];
  let extraSharedClassDeclaration = [{
    /// The type of the block; null if the access is scalar.
    ::mlir::RankedTensorType getTileType() {
      return ::mlir::dyn_cast<::mlir::RankedTensorType>($_op.getTile().getType());
    }
    bool hasOffsetPerElement() {
      return ::mlir::isa<::mlir::RankedTensorType>($_op.getOffset().getType());
    }
    bool isAtomic() { return $_op.getAtomicOrder().has_value(); }
  }];
}

#endif // TRITON_SHARED_DIALECT_STRUCTURED_ACCESSOPINTERFACE
