//===- TritonOps.cpp - The generated part of the operations ---------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// `source -> result`
//===----------------------------------------------------------------------===//

/// Triton 2 wrote `(source) -> result`, which reads as the type of a function.
static ParseResult parseConversion(OpAsmParser &parser, Type &source,
                                   Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(source))
    return failure();
  if (!isa<FunctionType>(source))
    return failure(parser.parseArrow() || parser.parseType(result));
  InFlightDiagnostic error =
      parser.emitError(loc, "expected 'type -> type', without parentheses");
  error.attachNote() << "this is how Triton 2 wrote TTIR; understood is that "
                        "of Triton 3.5 to 3.9";
  return error;
}

static void printConversion(OpAsmPrinter &printer, Operation *, Type source,
                            Type result) {
  printer << source << " -> " << result;
}

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonOps.cpp.inc"

void tt::TritonDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "triton-shared/Dialect/Triton/IR/TritonOps.cpp.inc"
      >();
}
