//===- CtaOpInterface.td - What all operations on tiles say -*- tablegen -*-===//
//
// Which layouts an operation relates, what it needs of shared memory and what
// people call it: passes ask the operation and have no list of operations.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_CTAOPINTERFACE
#define TRITON_SHARED_DIALECT_CTA_CTAOPINTERFACE

include "mlir/IR/OpBase.td"

def CTA_CtaOpInterface : OpInterface<"CtaOpInterface"> {
  let cppNamespace = "::mlir::cta";
  let description = [{
    What an operation of `cta` says of itself. Each answer has a default: that
    of an operation of which nothing is special.
  }];
  let methods = [
    // Layouts
    InterfaceMethod<[{
        All relations from `value`, an operand or result, to the other tiles of
        the operation.
      }], "::llvm::SmallVector<::mlir::cta::LayoutRelation>",
      "getLayoutRelations", (ins "::mlir::Value":$value), "", "return {};">,
    InterfaceMethod<[{
        The layout that a tile operand has to have, given those of the other
        tiles; nothing if the operation takes it as it is.
      }], "::std::optional<::mlir::cta::LinearLayout>",
      "getNeededLayout", (ins "::mlir::OpOperand &":$operand), "",
      "return ::std::nullopt;">,
    InterfaceMethod<[{
        The tile whose layout decides that of the results, and how; nothing if
        results can have others.
      }], "::std::optional<::mlir::cta::LayoutRelation>",
      "getLayoutOrigin", (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        The layout nearest to `layout` that results can have.
      }], "::mlir::cta::LinearLayout", "getPossibleLayout",
      (ins "const ::mlir::cta::LinearLayout &":$layout), "",
      "return layout;">,
    InterfaceMethod<[{
        True if a tile costs next to nothing to make again in another layout,
        once its operands are there.
      }], "bool", "isMadeAgain", (ins), "", "return false;">,
    // Shared memory
    InterfaceMethod<[{
        How many bytes of shared memory the operation needs while it runs, or
        the buffer that it makes; 0 if none.
      }], "int64_t", "getSharedBytes", (ins), "", "return 0;">,
    InterfaceMethod<[{
        True if the operation computes before it writes to its part of shared
        memory.
      }], "bool", "computesBeforeExchange", (ins), "", "return false;">,
    InterfaceMethod<"The buffers that the operation reads and writes.",
      "::llvm::SmallVector<::mlir::cta::BufferUse>", "getBufferUses",
      (ins), "", "return {};">,
    InterfaceMethod<"True if all threads wait for each other here.",
      "bool", "isBarrier", (ins), "", "return false;">,
    // Messages
    InterfaceMethod<"What the kernel's author wrote, or what it came to.",
      "::llvm::StringRef", "getNoun", (ins), "", [{ return "this operation"; }]>,
  ];
}

#endif // TRITON_SHARED_DIALECT_CTA_CTAOPINTERFACE
