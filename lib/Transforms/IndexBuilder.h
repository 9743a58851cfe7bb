//===- IndexBuilder.h - Indices as operations -------------------*- C++ -*-===//
//
// Writes the expressions of the analyses as arithmetic on i64: as scalars, and
// as lists along one dimension of a block.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_INDEXBUILDER_H
#define TRITON_SHARED_LIB_TRANSFORMS_INDEXBUILDER_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Analysis/AffineForm.h"

namespace mlir::triton_shared {

/// What replaces the values that symbols stand for.
struct SymbolValues {
  /// The scalar behind Carried(value).
  DenseMap<Value, Value> carried;
  /// New results of operations that have been built again.
  DenseMap<Value, Value> replaced;

  Value lookUp(Value value) const { return replaced.lookup_or(value, value); }
};

class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc, const AffineAnalysis &forms,
               const SymbolValues &values)
      : builder(builder), loc(loc), forms(forms), values(values) {}

  Value getConstant(int64_t value);

  /// A uniform expression as an i64.
  Value build(AffineExpr expr);

  /// The absolute value of a uniform expression as an i64.
  Value buildMagnitude(AffineExpr expr);

  /// A constant as an attribute, everything else as a value.
  OpFoldResult buildMixed(AffineExpr expr);

  /// `expr`, which depends on `dim` at most, as a tensor of `size` i64.
  Value buildList(AffineExpr expr, unsigned dim, int64_t size);

private:
  Value buildSymbol(const IndexSymbol &symbol);
  Value buildRow(const IndexSymbol &symbol);
  Value buildTerm(const AffineTerm &term);
  Value buildSum(ArrayRef<AffineTerm> terms);
  Value widen(Value value);
  Value buildConstantLike(Type type, int64_t value);
  Value buildRemainder(Value lhs, Value rhs, bool isNonNegative);
  Value buildQuotient(Value lhs, Value rhs, bool isNonNegative);
  Value buildBinary(AffineExpr expr, Value lhs, Value rhs,
                    ArrayRef<int64_t> shape);

  OpBuilder &builder;
  Location loc;
  const AffineAnalysis &forms;
  const SymbolValues &values;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_INDEXBUILDER_H
