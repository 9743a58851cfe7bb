//===- AffineIndexInterface.td - Index arithmetic of others -*- tablegen -*-===//

#ifndef TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_TD
#define TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_TD

include "mlir/IR/OpBase.td"

def AffineIndexOpInterface : OpInterface<"AffineIndexOpInterface"> {
  let cppNamespace = "::mlir::triton_shared";
  let description = [{
    An operation of another project whose one result is a sum of its operands,
    each with a constant factor, and of a constant. Operands and result are
    integers, or blocks of one shape, and nothing wraps around. The pointer
    analysis sees through it as through `arith.addi` and `arith.muli`.
  }];
  let methods = [
    InterfaceMethod<"The factor of each operand, in order.",
      "::llvm::SmallVector<int64_t>", "getIndexFactors">,
    InterfaceMethod<"What is added.", "int64_t", "getIndexConstant",
      (ins), "", "return 0;">
  ];
}

#endif // TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_TD
