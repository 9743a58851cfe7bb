//===- AffineForm.cpp - An index as a function of its place ---------------===//
//
// The symbols of forms, and what can be asked about expressions over them.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/AffineForm.h"

#include "AffineTransfer.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::triton_shared;

AffineAnalysis::AffineAnalysis(Operation *function, DivisorSign sign)
    : context(function->getContext()), sign(sign),
      solver(DataFlowConfig().setInterprocedural(false)) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  ranges = solver.load<IndexRangeAnalysis>(sign);
  // Without an answer of the solver, every range is that of the type.
  (void)solver.initializeAndRun(function);
  collectCarried(function);
  verifyCarried();
}

SmallVector<int64_t> triton_shared::getIndexShape(Value value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return SmallVector<int64_t>(tensor.getShape());
  return {};
}

AffineForm AffineAnalysis::getForm(Value value) {
  auto it = forms.find(value);
  if (it != forms.end())
    return {it->second, getIndexShape(value)};
  const CarriedIndex *index = findCarried(value);
  AffineExpr expr = index ? getCarriedForm(value, *index)
                          : AffineTransfer(*this, value).compute();
  forms[value] = expr;
  return {expr, getIndexShape(value)};
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

AffineExpr AffineAnalysis::getSymbolFor(IndexSymbol symbol) {
  SmallVector<unsigned, 1> &known = symbolsOf[symbol.value];
  for (unsigned position : known)
    if (symbols[position].kind == symbol.kind &&
        symbols[position].indices == symbol.indices)
      return getAffineSymbolExpr(position, context);
  if (symbol.kind != IndexSymbol::Kind::Carried)
    symbol.range = getSolvedRange(solver, symbol.value);
  known.push_back(symbols.size());
  symbols.push_back(std::move(symbol));
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

const IndexSymbol &AffineAnalysis::getSymbol(AffineExpr symbol) const {
  return symbols[cast<AffineSymbolExpr>(symbol).getPosition()];
}

llvm::SmallBitVector AffineAnalysis::getDims(AffineExpr expr) const {
  llvm::SmallBitVector dims;
  auto insert = [&](unsigned position) {
    if (dims.size() <= position)
      dims.resize(position + 1);
    dims.set(position);
  };
  expr.walk([&](AffineExpr leaf) {
    if (auto dim = dyn_cast<AffineDimExpr>(leaf))
      insert(dim.getPosition());
    if (!isa<AffineSymbolExpr>(leaf))
      return;
    for (AffineExpr index : getSymbol(leaf).indices)
      index.walk([&](AffineExpr inner) {
        if (auto dim = dyn_cast<AffineDimExpr>(inner))
          insert(dim.getPosition());
      });
  });
  return dims;
}

IndexRange AffineAnalysis::getRange(AffineExpr expr,
                                    ArrayRef<int64_t> shape) const {
  return triton_shared::getRange(expr, [&](AffineExpr leaf) -> IndexRange {
    if (auto dim = dyn_cast<AffineDimExpr>(leaf))
      return {0, shape[dim.getPosition()] - 1};
    const IndexSymbol &symbol = getSymbol(leaf);
    if (symbol.kind == IndexSymbol::Kind::Carried &&
        findCarried(symbol.value)->isNonNegative)
      return {0, IndexRange::highest};
    return symbol.range;
  });
}

bool AffineAnalysis::isUnsigned(const AffineForm &form) const {
  return getRange(form.expr, form.shape)
      .isWithin(0, std::numeric_limits<int32_t>::max());
}

AffineAnalysis::Split AffineAnalysis::split(AffineExpr expr) const {
  SmallVector<AffineTerm> varying, uniform;
  for (AffineTerm &term : getTerms(expr)) {
    bool isTermUniform = llvm::all_of(
        term.factors, [&](AffineExpr factor) { return isUniform(factor); });
    (isTermUniform ? uniform : varying).push_back(std::move(term));
  }
  return {sumTerms(varying, context), sumTerms(uniform, context)};
}

bool AffineAnalysis::canCompute(AffineExpr expr) const {
  return !expr.walk([&](AffineExpr part) {
                bool isKnown = true;
                if (isa<AffineSymbolExpr>(part))
                  isKnown = getSymbol(part).kind == IndexSymbol::Kind::Scalar;
                else if (part.getKind() == AffineExprKind::FloorDiv ||
                         part.getKind() == AffineExprKind::Mod)
                  isKnown =
                      getRange(cast<AffineBinaryOpExpr>(part).getLHS(), {})
                          .isNonNegative();
                return isKnown ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

void AffineAnalysis::addValues(AffineExpr expr,
                               DenseMap<AffineExpr, Value> &values) const {
  expr.walk([&](AffineExpr part) {
    if (isa<AffineSymbolExpr>(part))
      values[part] = getSymbol(part).value;
  });
}

Unstructured AffineAnalysis::blame(AffineExpr expr, Value value,
                                   StringRef reason) const {
  std::optional<Unstructured> why;
  expr.walk([&](AffineExpr leaf) {
    if (!why && isa<AffineSymbolExpr>(leaf) && !isUniform(leaf))
      why = getSymbol(leaf).why;
  });
  return why.value_or(Unstructured{value, reason.str()});
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

AffineExpr AffineAnalysis::substitute(AffineExpr expr,
                                      ArrayRef<AffineExpr> dims,
                                      ArrayRef<int64_t> shape) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (isa<AffineConstantExpr>(expr))
    return expr;
  if (isa<AffineSymbolExpr>(expr)) {
    IndexSymbol symbol = getSymbol(expr);
    for (AffineExpr &index : symbol.indices)
      index = substitute(index, dims, shape);
    return getSymbolFor(std::move(symbol));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr lhs = substitute(binary.getLHS(), dims, shape);
  AffineExpr rhs = substitute(binary.getRHS(), dims, shape);
  if (!lhs || !rhs)
    return nullptr;
  auto ranges = [&](AffineExpr leaf) { return getRange(leaf, shape); };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return multiply(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return floorDivide(lhs, rhs, ranges);
  case AffineExprKind::Mod:
    return remainder(lhs, rhs, ranges);
  default:
    return nullptr;
  }
}

SmallVector<AffineExpr> triton_shared::getReshapedPlace(
    ArrayRef<int64_t> source, ArrayRef<int64_t> result, MLIRContext *context) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto ranges = [&](AffineExpr dim) -> IndexRange {
    return {0, result[cast<AffineDimExpr>(dim).getPosition()] - 1};
  };
  AffineExpr position = zero;
  for (auto [d, size] : llvm::enumerate(result))
    position =
        position * size + (size == 1 ? zero : getAffineDimExpr(d, context));
  SmallVector<AffineExpr> place(source.size(), zero);
  for (size_t d = source.size(); d-- > 0;) {
    AffineExpr size = getAffineConstantExpr(source[d], context);
    place[d] = remainder(position, size, ranges);
    position = floorDivide(position, size, ranges);
  }
  return place;
}
