//===- VectorValues.h - Scalars that have become vectors --------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORVALUES_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::triton_shared {

/// True if a vector can hold numbers of this type.
bool isLane(Type type);

/// The bytes of the widest of numbers of these types; indices do not count.
unsigned getWidestBytes(ArrayRef<Type> types);

/// What the values of some scalar code are in code for several lanes. Those
/// that are the same in all lanes stay scalar until they meet a vector.
class VectorValues {
public:
  explicit VectorValues(int64_t lanes) : lanes(lanes) {}

  int64_t getLanes() const { return lanes; }

  void map(Value scalar, Value made) { mapping.map(scalar, made); }

  /// What `scalar` is now, as a vector.
  Value getVector(OpBuilder &builder, Value scalar);

  /// Builds the element-wise operation `original` for all lanes; all take a
  /// branch `kForAnyLane` if one of them does.
  void buildElementwise(OpBuilder &builder, Operation *original);

private:
  void buildBranch(OpBuilder &builder, scf::IfOp original);
  void buildBlock(Block &original, Block &made);

  int64_t lanes;
  IRMapping mapping;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORVALUES_H
