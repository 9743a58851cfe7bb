//===- LaunchNumbers.cpp - What a launch knows of a kernel's numbers ------===//

#include "triton-shared/Analysis/LaunchNumbers.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

using namespace mlir;
using namespace mlir::triton_shared;

AffineExpr LaunchNumbers::getForm(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return forms.getForm(value).expr;
  return getAffineConstantExpr(*getConstantIntValue(number),
                               forms.getContext());
}

std::optional<unsigned> LaunchNumbers::findParameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isWritten =
      argument && argument.getOwner()->getParentOp() == function &&
      argument.getArgNumber() < tts::KernelSignature(function).getNumWritten();
  return isWritten ? std::optional(argument.getArgNumber()) : std::nullopt;
}

std::optional<tts::LaunchNumber> LaunchNumbers::find(AffineExpr expr) const {
  if (!expr)
    return std::nullopt;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return tts::LaunchNumber::constant(constant.getValue());
  if (!isa<AffineSymbolExpr>(expr))
    return std::nullopt;
  const IndexSymbol &symbol = forms.getSymbol(expr);
  if (symbol.kind != IndexSymbol::Kind::Scalar)
    return std::nullopt;
  std::optional<unsigned> parameter = findParameter(symbol.value);
  if (!parameter)
    return std::nullopt;
  return tts::LaunchNumber::argument(*parameter);
}
