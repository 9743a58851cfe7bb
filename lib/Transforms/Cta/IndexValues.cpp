//===- IndexValues.cpp - Forms of indices as operations -------------------===//

#include "IndexValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"

using namespace mlir;
using namespace mlir::triton_shared;

static Value createBinary(OpBuilder &builder, Location loc, AffineExprKind kind,
                          Value lhs, Value rhs) {
  switch (kind) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  default:
    llvm_unreachable("forms have no other operations");
  }
}

Value triton_shared::createIndexValue(
    OpBuilder &builder, Location loc, AffineExpr expr,
    const DenseMap<AffineExpr, Value> &values) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIntOp::create(builder, loc, constant.getValue(), 64);
  if (isa<AffineSymbolExpr>(expr))
    return tts::extendToI64(builder, loc, values.lookup(expr));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = createIndexValue(builder, loc, binary.getLHS(), values);
  Value rhs = createIndexValue(builder, loc, binary.getRHS(), values);
  return createBinary(builder, loc, expr.getKind(), lhs, rhs);
}
