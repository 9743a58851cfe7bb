//===- AffineForm.h - An index as a function of its place -------*- C++ -*-===//
//
// The form of an integer tensor gives each element by its place in the block:
// an AffineExpr (semi-affine) whose dimensions are the tensor's indices and
// whose symbols are values the form does not look into. Every integer has a
// form; how much it says is up to who asks.
//
// Assumptions, which are those of Triton's own address arithmetic:
//   - signed sums and products of indices do not overflow;
//   - what a signed index is divided by is a size, so it is positive, unless
//     the analysis is told not to believe that (`DivisorSign`); for remainders
//     nothing is taken for granted.
// Where the bits say otherwise for certain (an overflow of constants, unsigned
// operations on what may be negative) the value gets a symbol of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_AFFINEFORM_H
#define TRITON_SHARED_ANALYSIS_AFFINEFORM_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "triton-shared/Analysis/AffineTerms.h"
#include "llvm/ADT/SmallBitVector.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// Why a question about a value has no answer.
struct Unstructured {
  Value culprit;      ///< The first value on the way that breaks the structure.
  std::string reason; ///< A clause about it: "is itself read from memory".
};

/// What a symbol of a form stands for.
struct IndexSymbol {
  enum class Kind {
    Scalar,  ///< `value` itself.
    Element, ///< The element of the tensor `value` at `indices`.
    Carried, ///< What the control flow adds to all elements of `value`.
  };

  Kind kind;
  Value value;
  /// One for each dimension of `value`, in the dimensions of the form.
  SmallVector<AffineExpr, 2> indices;
  /// Why the form does not look into the tensor.
  Unstructured why;
  /// What the value or the elements can be; not of what is carried.
  IndexRange range = {};
};

struct AffineForm {
  AffineExpr expr;
  SmallVector<int64_t> shape; ///< Empty for a scalar.
};

/// A tensor that goes through a loop or a branch and changes only by a uniform
/// amount: all `values` are what varies in the first of the `incoming` plus the
/// symbol Carried(value).
struct CarriedIndex {
  Operation *owner;
  SmallVector<Value, 2> values;
  SmallVector<OpOperand *, 2> incoming;
  bool isNonNegative = true;
  std::optional<Unstructured> failure;
};

/// The forms of the integers of a function. Changes nothing.
class AffineAnalysis {
public:
  explicit AffineAnalysis(Operation *function,
                          DivisorSign sign = DivisorSign::Positive);

  AffineForm getForm(Value value);

  MLIRContext *getContext() const { return context; }

  const IndexSymbol &getSymbol(AffineExpr symbol) const;

  /// The dimensions on which `expr` depends, also through elements.
  llvm::SmallBitVector getDims(AffineExpr expr) const;
  bool isUniform(AffineExpr expr) const { return getDims(expr).none(); }

  /// All values `expr` can take over a block of `shape`.
  IndexRange getRange(AffineExpr expr, ArrayRef<int64_t> shape) const;

  /// True if the value is the same whether its bits are read as a signed or an
  /// unsigned number, whether or not arithmetic overflows.
  bool isUnsigned(const AffineForm &form) const;

  /// `expr` with `dims` for its dimensions, simplified for a block of `shape`.
  AffineExpr substitute(AffineExpr expr, ArrayRef<AffineExpr> dims,
                        ArrayRef<int64_t> shape);

  /// The sum of what varies over the block, and the rest.
  struct Split {
    AffineExpr varying, uniform;
  };
  Split split(AffineExpr expr) const;

  /// True if `expr` can be computed from numbers: it has no element of a
  /// tensor, and divides nothing that may be negative.
  bool canCompute(AffineExpr expr) const;

  /// Adds the value of each symbol of `expr` to `values`.
  void addValues(AffineExpr expr, DenseMap<AffineExpr, Value> &values) const;

  /// The first tensor in `expr` that the analysis does not look into or, if
  /// there is none, `value` with `reason`.
  Unstructured blame(AffineExpr expr, Value value, StringRef reason) const;

  /// The loop or branch that makes `value` equal to something uniform plus what
  /// it has from outside, if there is one.
  const CarriedIndex *findCarried(Value value) const;

private:
  friend class AffineTransfer;

  // CarriedIndices.cpp
  void collectCarried(Operation *function);
  void verifyCarried();
  bool verify(CarriedIndex &index);
  AffineExpr getCarriedForm(Value value, const CarriedIndex &index);

  AffineExpr getSymbolFor(IndexSymbol symbol);

  MLIRContext *context;
  DivisorSign sign;
  DataFlowSolver solver;
  /// Runs in `solver`.
  const IndexRangeAnalysis *ranges;
  SmallVector<IndexSymbol> symbols;
  DenseMap<Value, SmallVector<unsigned, 1>> symbolsOf;
  DenseMap<Value, AffineExpr> forms;
  SmallVector<CarriedIndex> carried;
  DenseMap<Value, unsigned> carriedOf;
};

/// The shape of a tensor; empty for a scalar.
SmallVector<int64_t> getIndexShape(Value value);

/// The place in a block of `source` that has the row-major position of the
/// place `(d0, d1, ...)` in a block of `result`.
SmallVector<AffineExpr> getReshapedPlace(ArrayRef<int64_t> source,
                                         ArrayRef<int64_t> result,
                                         MLIRContext *context);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_AFFINEFORM_H
