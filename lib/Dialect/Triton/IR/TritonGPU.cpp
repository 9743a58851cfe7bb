//===- TritonGPU.cpp - The barrier of `ttg` -------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

#include "triton-shared/Dialect/Triton/IR/TritonGPUDialect.cpp.inc"
#include "triton-shared/Dialect/Triton/IR/TritonGPUEnums.cpp.inc"

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonGPUOps.cpp.inc"

void ttg::TritonGPUDialect::initialize() { addOperations<BarrierOp>(); }

/// Layouts and shared memory are there once Triton has gone its own way.
static void refuseTtgir(DialectAsmParser &parser, StringRef what) {
  parser.emitError(parser.getNameLoc())
      << "this is TTGIR, in which Triton has chosen " << what
      << " for its own way to a GPU; compile the kernel's TTIR, as in "
         "kernel.asm[\"ttir\"]";
}

Attribute ttg::TritonGPUDialect::parseAttribute(DialectAsmParser &parser,
                                                Type) const {
  refuseTtgir(parser, "layouts");
  return Attribute();
}

Type ttg::TritonGPUDialect::parseType(DialectAsmParser &parser) const {
  refuseTtgir(parser, "shared memory");
  return Type();
}

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
