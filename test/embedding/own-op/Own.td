// A dialect with one operation, which knows of the pointer analysis.

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "triton-shared/Analysis/AffineIndexInterface.td"

def OwnDialect : Dialect {
  let name = "own";
  let cppNamespace = "::own";
}

def StrideOp : Op<OwnDialect, "stride", [
    Pure, Elementwise, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<AffineIndexOpInterface, ["getIndexConstant"]>]> {
  let summary = "index times a step, and a start";
  let arguments = (ins AnyType:$index, I64Attr:$step, I64Attr:$start);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
  let extraClassDefinition = [{
    ::llvm::SmallVector<int64_t> $cppClass::getIndexFactors() {
      return {static_cast<int64_t>(getStep())};
    }
    int64_t $cppClass::getIndexConstant() {
      return static_cast<int64_t>(getStart());
    }
  }];
}
