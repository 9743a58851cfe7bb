//===- TritonProgramOps.td - Functions and the grid --------*- tablegen -*-===//
//
// What a kernel is made of apart from its data: functions, calls, the place of
// a program in its grid, barriers, and what it says to the outside.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_PROGRAMOPS
#define TRITON_SHARED_DIALECT_TRITON_PROGRAMOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def FuncOp : TT_Op<"func", [
    AffineScope, AutomaticAllocationScope, CallableOpInterface,
    FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "A kernel (public) or a function that kernels call (private)";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins
      "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
      CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs,
      CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    static ::llvm::StringRef getDefaultDialect() { return ""; }
  }];
}

def ReturnOp : TT_Op<"return", [
    HasParent<"FuncOp">, MemRefsNormalizable, Pure, ReturnLike, Terminator]> {
  let summary = "Ends a function with its results";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

def CallOp : TT_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of the module";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let builders = [OpBuilder<(ins "FuncOp":$callee,
                                 CArg<"::mlir::ValueRange", "{}">:$operands), [{
    $_state.addOperands(operands);
    $_state.addAttribute("callee", SymbolRefAttr::get(callee));
    $_state.addTypes(callee.getFunctionType().getResults());
  }]>];
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getOperandsMutable();
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(
          ::mlir::cast<::mlir::FlatSymbolRefAttr>(
              ::mlir::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

class TT_GridOp<string opMnemonic> : TT_Op<opMnemonic, [Pure]> {
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    int32_t getAxisAsInt() { return static_cast<int32_t>(getAxis()); }
  }];
}

def TT_GetProgramIdOp : TT_GridOp<"get_program_id"> {
  let summary = "The place of the program in the grid, along one dimension";
}

def TT_GetNumProgramsOp : TT_GridOp<"get_num_programs"> {
  let summary = "The number of programs in the grid, along one dimension";
}

class TT_GridDependencyOp<string opMnemonic> : TT_Op<opMnemonic, [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyWaitOp : TT_GridDependencyOp<"grid_dependency_wait"> {
  let summary = "Waits until the memory of the launches before this is visible";
}

def TT_GridDependencyLaunchDependentsOp
    : TT_GridDependencyOp<"grid_dependency_launch_dependents"> {
  let summary = "Lets the launch after this one start early";
}

//===----------------------------------------------------------------------===//
// To the outside
//===----------------------------------------------------------------------===//

def TT_PrintOp : TT_Op<"print", [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Prints a text and values";
  let description = [{
    `isSigned` has one entry per operand: whether an integer is printed signed.
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex,
                       Variadic<TT_Type>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Stops the launch if the condition, or an element of it, is 0";
  let arguments = (ins TT_IntLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif // TRITON_SHARED_DIALECT_TRITON_PROGRAMOPS
