//===- AffineTransfer.h - The form of an operation's result -----*- C++ -*-===//
//
// One step of the affine analysis: from the forms of the operands of the
// operation that defines a value to the form of the value.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_ANALYSIS_AFFINETRANSFER_H
#define TRITON_SHARED_LIB_ANALYSIS_AFFINETRANSFER_H

#include "triton-shared/Analysis/AffineForm.h"
#include "triton-shared/Analysis/AffineIndexInterface.h"

namespace mlir::triton_shared {

class AffineTransfer {
public:
  AffineTransfer(AffineAnalysis &analysis, Value value)
      : analysis(analysis), value(value), shape(getIndexShape(value)) {}

  AffineExpr compute();

  /// A symbol for the value or its elements. Elements depend on the dimensions
  /// on which the operands of an element-wise operation depend.
  AffineExpr makeOpaque(Unstructured why);

private:
  // Each gives null where the operation has no form better than opaque.
  AffineExpr computeView(Operation *op);
  AffineExpr computeTranspose(Value source, ArrayRef<int64_t> order);
  AffineExpr computeJoin(Operation *op);
  AffineExpr computeIndex(Operation *op);
  AffineExpr computeConstant(Operation *op);
  AffineExpr computeSum(AffineIndexOpInterface op);
  AffineExpr computeProduct(AffineExpr lhs, AffineExpr rhs);
  AffineExpr computeDivision(Operation *op);
  AffineExpr computeShift(Operation *op);
  AffineExpr computeBits(Operation *op);
  bool isPlaceOfProgram(AffineExpr expr);
  AffineExpr computeExtremum(Operation *op);

  AffineExpr getOperand(Operation *op, unsigned number);
  IndexRange getRange(AffineExpr expr) {
    return analysis.getRange(expr, shape);
  }
  AffineExpr substitute(Value source, ArrayRef<AffineExpr> place);
  AffineExpr divide(AffineExpr expr, AffineExpr divisor, bool wantsQuotient);
  bool overflowsForCertain(AffineExpr expr);
  void fail(StringRef reason) { failure = reason.str(); }

  AffineAnalysis &analysis;
  Value value;
  SmallVector<int64_t> shape;
  std::string failure; ///< A reason better than "has no form".
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_ANALYSIS_AFFINETRANSFER_H
