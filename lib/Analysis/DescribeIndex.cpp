//===- DescribeIndex.cpp - Index expressions for people -------------------===//

#include "triton-shared/Analysis/DescribeIndex.h"

#include "mlir/IR/Location.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

Location triton_shared::nameInductionVariable(Location loop, StringRef name) {
  MLIRContext *context = loop.getContext();
  return FusedLoc::get(context, loop, StringAttr::get(context, name));
}

/// Whether a statement computes `value` on the way to what it names: of
/// `first = tl.program_id(0) * 64` the front end gives both operations its
/// name.
static bool isOnTheWay(Value value, StringAttr name) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto other = user->getLoc()->findInstanceOf<NameLoc>();
    return other && other.getName() == name &&
           !isa<CastOpInterface, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
                tt::ReshapeOp>(user);
  });
}

/// One that was written anew has given its own location to what it carries and
/// to its variable. What comes in and what goes around have kept theirs.
static std::string getName(LoopLikeOpInterface loop, BlockArgument argument) {
  if (loop.getSingleInductionVar() == Value(argument)) {
    auto named = loop.getLoc()->findInstanceOf<FusedLocWith<StringAttr>>();
    return named ? named.getMetadata().str() : "";
  }
  OpOperand *init = loop.getTiedLoopInit(argument);
  OpOperand *next = loop.getTiedLoopYieldedValue(argument);
  if (!init || !next)
    return "";
  auto first = init->get().getLoc()->findInstanceOf<NameLoc>();
  auto later = next->get().getLoc()->findInstanceOf<NameLoc>();
  bool isOne = first && later && first.getName() == later.getName();
  return isOne ? first.getName().str() : "";
}

static std::string getName(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
    return getName(loop, argument);
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return isa<FunctionOpInterface>(parent)
             ? "arg" + std::to_string(argument.getArgNumber())
             : "";
}

/// The name that the front end left on the value, or one made from what it is.
static std::string getName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getName(argument);
  Operation *op = value.getDefiningOp();
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  if (name && op->getNumResults() == 1 && !isOnTheWay(value, name.getName()))
    return name.getName().str();
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return "program_id(" + std::to_string(id.getAxisAsInt()) + ")";
  return "";
}

static std::string describeSymbol(const AffineAnalysis &forms,
                                  AffineExpr expr) {
  const IndexSymbol &symbol = forms.getSymbol(expr);
  std::string position =
      std::to_string(cast<AffineSymbolExpr>(expr).getPosition());
  std::string name = getName(symbol.value);
  switch (symbol.kind) {
  case IndexSymbol::Kind::Scalar:
    return name.empty() ? "scalar" + position : name;
  case IndexSymbol::Kind::Element:
    return (name.empty() ? "tensor" + position : name) + "[...]";
  case IndexSymbol::Kind::Carried:
    return name.empty() ? "carried" + position : name;
  }
  llvm_unreachable("covered switch");
}

static std::string describeFactor(const AffineAnalysis &forms,
                                  AffineExpr expr) {
  std::string text = describeIndex(forms, expr);
  return isa<AffineBinaryOpExpr>(expr) ? "(" + text + ")" : text;
}

/// One term without its sign.
static std::string describeTerm(const AffineAnalysis &forms,
                                const AffineTerm &term) {
  SmallVector<std::string> factors;
  uint64_t size = term.coefficient < 0 ? 0 - uint64_t(term.coefficient)
                                       : uint64_t(term.coefficient);
  if (size != 1 || term.factors.empty())
    factors.push_back(std::to_string(size));
  for (AffineExpr factor : term.factors)
    factors.push_back(describeFactor(forms, factor));
  return llvm::join(factors, " * ");
}

std::string triton_shared::describeIndex(const AffineAnalysis &forms,
                                         AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return "i" + std::to_string(dim.getPosition());
  if (isa<AffineSymbolExpr>(expr))
    return describeSymbol(forms, expr);
  if (expr.getKind() == AffineExprKind::FloorDiv ||
      expr.getKind() == AffineExprKind::Mod) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    bool isQuotient = expr.getKind() == AffineExprKind::FloorDiv;
    return describeFactor(forms, binary.getLHS()) +
           (isQuotient ? " // " : " % ") +
           describeFactor(forms, binary.getRHS());
  }
  std::string text;
  // As people write it: what is added, what is subtracted, the constant.
  auto getRank = [](const AffineTerm &term) {
    return term.factors.empty() ? 2 : term.coefficient < 0 ? 1 : 0;
  };
  SmallVector<AffineTerm> unordered = getTerms(expr), terms;
  for (int rank : {0, 1, 2})
    llvm::copy_if(
        unordered, std::back_inserter(terms),
        [&](const AffineTerm &term) { return getRank(term) == rank; });
  for (const AffineTerm &term : terms) {
    if (text.empty())
      text = term.coefficient < 0 ? "-" : "";
    else
      text += term.coefficient < 0 ? " - " : " + ";
    text += describeTerm(forms, term);
  }
  return text.empty() ? "0" : text;
}
