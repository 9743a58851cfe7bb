//===- TritonProgram.cpp - Functions, calls, print ------------------------===//
//
// Text and verifiers of the operations that a kernel is made of apart from its
// data.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// tt.func
//===----------------------------------------------------------------------===//

void tt::FuncOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name, FunctionType type,
                       ArrayRef<NamedAttribute> attributes,
                       ArrayRef<DictionaryAttr> argAttributes) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  state.addRegion();
  if (argAttributes.empty())
    return;
  call_interface_impl::addArgAndResultAttrs(
      builder, state, argAttributes, /*resultAttrs=*/{},
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult tt::FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  auto makeType = [](Builder &builder, ArrayRef<Type> arguments,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false,
      getFunctionTypeAttrName(state.name), makeType,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

void tt::FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult tt::ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = function.getFunctionType().getResults();
  if (expected == ArrayRef<Type>(llvm::to_vector(getOperandTypes())))
    return success();
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "returns (" << getOperandTypes()
                                  << "), but '" << function.getName()
                                  << "' has the results (" << expected << ")";
  diagnostic.attachNote(function.getLoc()) << "the function is here";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// tt.call
//===----------------------------------------------------------------------===//

LogicalResult tt::CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls '" << getCallee()
                         << "', which is no function of the module";
  auto type =
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (callee.getFunctionType() == type)
    return success();
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "calls '" << getCallee() << "' as " << type
                                  << ", but it is " << callee.getFunctionType();
  diagnostic.attachNote(callee.getLoc()) << "the function is here";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// tt.print
//===----------------------------------------------------------------------===//

LogicalResult tt::PrintOp::verify() {
  if (getIsSigned().size() == getArgs().size())
    return success();
  return emitOpError() << "prints " << getArgs().size()
                       << " values, but 'isSigned' has " << getIsSigned().size()
                       << " entries";
}
