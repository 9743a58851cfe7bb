//===- InlinePtx.cpp - Instructions written as assembly -------------------===//

#include "triton-shared/Transforms/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::triton_shared;

SmallVector<Value> triton_shared::createPtx(OpBuilder &builder, Location loc,
                                            TypeRange results,
                                            ValueRange operands, StringRef text,
                                            StringRef constraints,
                                            PtxEffects effects) {
  Type type = packResultTypes(builder.getContext(), results);
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, type, operands, text, constraints,
      /*has_side_effects=*/effects == PtxEffects::Memory,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  return unpackResults(builder, loc, assembly.getRes(), results.size());
}

Type triton_shared::packResultTypes(MLIRContext *context, TypeRange results) {
  if (results.empty())
    return LLVM::LLVMVoidType::get(context);
  if (results.size() == 1)
    return results.front();
  return LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(results));
}

SmallVector<Value> triton_shared::unpackResults(OpBuilder &builder,
                                                Location loc, Value packed,
                                                unsigned count) {
  if (count == 0)
    return {};
  if (count == 1)
    return {packed};
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, packed, i));
  return values;
}

std::string triton_shared::listPlaceholders(unsigned first, unsigned count) {
  std::string list = "{";
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

std::string triton_shared::repeatConstraint(StringRef constraint,
                                            unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += ("," + constraint).str();
  return list;
}
