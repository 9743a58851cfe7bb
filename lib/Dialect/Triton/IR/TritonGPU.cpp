//===- TritonGPU.cpp - The barrier of `ttg` -------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

#include "triton-shared/Dialect/Triton/IR/TritonGPUDialect.cpp.inc"
#include "triton-shared/Dialect/Triton/IR/TritonGPUEnums.cpp.inc"

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonGPUOps.cpp.inc"

void ttg::TritonGPUDialect::initialize() { addOperations<BarrierOp>(); }

/// `ttg.barrier local|global_read`
ParseResult ttg::BarrierOp::parse(OpAsmParser &parser, OperationState &state) {
  AddrSpace spaces = AddrSpace::None;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<AddrSpace> space = symbolizeAddrSpace(word);
    if (!space)
      return parser.emitError(loc) << "unknown memory '" << word << "'";
    spaces = spaces | *space;
  } while (succeeded(parser.parseOptionalVerticalBar()));

  state.addAttribute(getAddrSpaceAttrName(state.name),
                     AddrSpaceAttr::get(parser.getContext(), spaces));
  return parser.parseOptionalAttrDict(state.attributes);
}

void ttg::BarrierOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyAddrSpace(getAddrSpace());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"addrSpace"});
}
