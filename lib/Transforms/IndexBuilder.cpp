//===- IndexBuilder.cpp - Indices as operations ---------------------------===//

#include "IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

Value IndexBuilder::getConstant(int64_t value) {
  return buildConstantLike(builder.getI64Type(), value);
}

Value IndexBuilder::buildConstantLike(Type type, int64_t value) {
  TypedAttr attribute = builder.getI64IntegerAttr(value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(tensor, value);
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// An integer or a tensor of integers in 64 bits.
Value IndexBuilder::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  Type wide = builder.getI64Type();
  if (type == wide)
    return value;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    wide = tensor.clone(wide);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, wide, value);
  return arith::ExtSIOp::create(builder, loc, wide, value);
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

Value IndexBuilder::buildSymbol(const IndexSymbol &symbol) {
  switch (symbol.kind) {
  case IndexSymbol::Kind::Carried:
    return values.carried.at(symbol.value);
  case IndexSymbol::Kind::Scalar:
    return widen(values.lookUp(symbol.value));
  case IndexSymbol::Kind::Element: {
    SmallVector<Value> place;
    for (AffineExpr index : symbol.indices)
      place.push_back(arith::ConstantIndexOp::create(
          builder, loc, cast<AffineConstantExpr>(index).getValue()));
    return widen(tensor::ExtractOp::create(builder, loc,
                                           values.lookUp(symbol.value), place));
  }
  }
  llvm_unreachable("covered switch");
}

/// The elements along the one dimension that an index of `symbol` names.
Value IndexBuilder::buildRow(const IndexSymbol &symbol) {
  Value source = values.lookUp(symbol.value);
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getRank() == 1)
    return widen(source);
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  int64_t length = 1;
  for (auto [d, index] : llvm::enumerate(symbol.indices)) {
    auto constant = dyn_cast<AffineConstantExpr>(index);
    int64_t size = constant ? 1 : type.getDimSize(d);
    offsets.push_back(builder.getIndexAttr(constant ? constant.getValue() : 0));
    sizes.push_back(builder.getIndexAttr(size));
    length *= size;
  }
  auto rowType = RankedTensorType::get({length}, type.getElementType());
  return widen(tensor::ExtractSliceOp::create(builder, loc, rowType, source,
                                              offsets, sizes, strides));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The one coefficient that has no negative.
static bool isLowest(int64_t coefficient) {
  return coefficient == std::numeric_limits<int64_t>::min();
}

/// The Euclidean remainder by a positive divisor.
Value IndexBuilder::buildRemainder(Value lhs, Value rhs, bool isNonNegative) {
  APInt constant;
  if (matchPattern(rhs, m_ConstantInt(&constant)) && constant.isPowerOf2())
    return arith::AndIOp::create(
        builder, loc, lhs,
        buildConstantLike(rhs.getType(), constant.getSExtValue() - 1));
  Value rest = arith::RemSIOp::create(builder, loc, lhs, rhs);
  if (isNonNegative)
    return rest;
  rest = arith::AddIOp::create(builder, loc, rest, rhs);
  return arith::RemSIOp::create(builder, loc, rest, rhs);
}

/// The Euclidean quotient by a positive divisor.
Value IndexBuilder::buildQuotient(Value lhs, Value rhs, bool isNonNegative) {
  APInt constant;
  if (matchPattern(rhs, m_ConstantInt(&constant)) && constant.isPowerOf2())
    return arith::ShRSIOp::create(
        builder, loc, lhs,
        buildConstantLike(rhs.getType(), constant.logBase2()));
  if (!isNonNegative)
    lhs = arith::SubIOp::create(builder, loc, lhs,
                                buildRemainder(lhs, rhs, isNonNegative));
  return arith::DivSIOp::create(builder, loc, lhs, rhs);
}

Value IndexBuilder::buildBinary(AffineExpr expr, Value lhs, Value rhs,
                                ArrayRef<int64_t> shape) {
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool isNonNegative = forms.getRange(binary.getLHS(), shape).isNonNegative();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mod:
    return buildRemainder(lhs, rhs, isNonNegative);
  case AffineExprKind::FloorDiv:
    return buildQuotient(lhs, rhs, isNonNegative);
  default:
    llvm_unreachable("forms have no other operations");
  }
}

Value IndexBuilder::build(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstant(constant.getValue());
  if (isa<AffineSymbolExpr>(expr))
    return buildSymbol(forms.getSymbol(expr));
  if (expr.getKind() == AffineExprKind::Add ||
      expr.getKind() == AffineExprKind::Mul)
    return buildSum(getTerms(expr));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return buildBinary(expr, build(binary.getLHS()), build(binary.getRHS()), {});
}

/// `factor * |coefficient| * factor * ...`
Value IndexBuilder::buildTerm(const AffineTerm &term) {
  bool isNegative = term.coefficient < 0 && !isLowest(term.coefficient);
  int64_t size = isNegative ? -term.coefficient : term.coefficient;
  if (term.factors.empty())
    return getConstant(size);
  Value product = build(term.factors.front());
  if (size != 1)
    product = arith::MulIOp::create(builder, loc, product, getConstant(size));
  for (AffineExpr factor : ArrayRef(term.factors).drop_front())
    product = arith::MulIOp::create(builder, loc, product, build(factor));
  return product;
}

/// What is added comes before what is subtracted, so that the same term looks
/// the same in an offset and in a bound.
Value IndexBuilder::buildSum(ArrayRef<AffineTerm> terms) {
  auto isSubtracted = [](const AffineTerm &term) {
    return term.coefficient < 0 && !isLowest(term.coefficient);
  };
  Value sum;
  for (const AffineTerm &term : terms)
    if (!isSubtracted(term))
      sum = sum ? arith::AddIOp::create(builder, loc, sum, buildTerm(term))
                : buildTerm(term);
  if (!sum)
    sum = getConstant(0);
  for (const AffineTerm &term : terms)
    if (isSubtracted(term))
      sum = arith::SubIOp::create(builder, loc, sum, buildTerm(term));
  return sum;
}

Value IndexBuilder::buildMagnitude(AffineExpr expr) {
  Value number = build(expr);
  if (forms.getRange(expr, {}).isNonNegative())
    return number;
  Value negated = arith::SubIOp::create(builder, loc, getConstant(0), number);
  return arith::MaxSIOp::create(builder, loc, number, negated);
}

OpFoldResult IndexBuilder::buildMixed(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return builder.getI64IntegerAttr(constant.getValue());
  return build(expr);
}

Value IndexBuilder::buildList(AffineExpr expr, unsigned dim, int64_t size) {
  auto type = RankedTensorType::get({size}, builder.getI64Type());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return buildConstantLike(type, constant.getValue());
  if (forms.isUniform(expr))
    return tt::SplatOp::create(builder, loc, type, build(expr));
  if (isa<AffineDimExpr>(expr)) {
    auto narrow = RankedTensorType::get({size}, builder.getI32Type());
    return widen(tt::MakeRangeOp::create(builder, loc, narrow, 0, size));
  }
  if (isa<AffineSymbolExpr>(expr))
    return buildRow(forms.getSymbol(expr));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SmallVector<int64_t> shape(dim + 1, size);
  Value lhs = buildList(binary.getLHS(), dim, size);
  Value rhs = buildList(binary.getRHS(), dim, size);
  return buildBinary(expr, lhs, rhs, shape);
}
