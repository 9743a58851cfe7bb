//===- Elements.cpp - Elements in registers -------------------------------===//
//
// Elements of less than 32 bits share a register where the op packs them.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;
namespace tt = mlir::triton;

unsigned assembly::countRegisters(TypeRange types, unsigned pack) {
  unsigned count = 0;
  for (Type type : types)
    count += Packing(type, pack).registers;
  return count;
}

SmallVector<Value> assembly::packElements(OpBuilder &builder, Location loc,
                                          TypeRange types, unsigned pack,
                                          ValueRange &elements) {
  SmallVector<Value> registers;
  for (Type type : types) {
    Packing packing(type, pack);
    for (unsigned i = 0; i < packing.registers; ++i) {
      registers.push_back(
          joinLanes(builder, loc, elements.take_front(packing.perRegister)));
      elements = elements.drop_front(packing.perRegister);
    }
  }
  return registers;
}

SmallVector<Value> assembly::unpackElements(OpBuilder &builder, Location loc,
                                            TypeRange types, unsigned pack,
                                            ValueRange registers) {
  SmallVector<Value> elements;
  for (Type type : types) {
    Packing packing(type, pack);
    Type element = getElementTypeOrSelf(type);
    for (unsigned i = 0; i < packing.registers; ++i) {
      for (unsigned lane = 0; lane < packing.perRegister; ++lane)
        elements.push_back(
            getLane(builder, loc, registers.front(), lane, element));
      registers = registers.drop_front();
    }
  }
  return elements;
}

/// LLVM's word for a register of `width` bits, of whatever numbers.
static StringRef getClass(unsigned width) {
  return width == 16 ? "h" : width == 32 ? "r" : "l";
}

SmallVector<Value> assembly::createAssembly(OpBuilder &builder, Location loc,
                                            tt::ElementwiseInlineAsmOp op,
                                            const Constraints &constraints,
                                            ValueRange elements) {
  unsigned pack = op.getPackedElement();
  SmallVector<Value> operands =
      packElements(builder, loc, op->getOperandTypes(), pack, elements);
  SmallVector<std::string> words;
  SmallVector<Type> types;
  for (unsigned width : constraints.results) {
    words.push_back(("=" + getClass(width)).str());
    types.push_back(builder.getIntegerType(width));
  }
  for (auto [operand, width] :
       llvm::zip_equal(operands, constraints.operands)) {
    words.push_back(getClass(width).str());
    operand = resize(builder, loc, operand, width, /*isSigned=*/false);
  }
  SmallVector<Value> results = createPtx(
      builder, loc, types, operands, op.getAsmString(), llvm::join(words, ","),
      op.getPure() ? PtxEffects::None : PtxEffects::Memory);
  return unpackElements(builder, loc, op->getResultTypes(), pack, results);
}
