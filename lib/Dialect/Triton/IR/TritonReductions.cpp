//===- TritonReductions.cpp - Products, sums and scans --------------------===//
//
// Verifiers of the operations in which an element of the result depends on many
// elements.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Checks that blocks of `m x k`, `k x n` and `m x n`, or batches of them,
/// meet. Sizes along k are counted in elements, of which several may share a
/// number.
static LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> a,
                                   ArrayRef<int64_t> b, ArrayRef<int64_t> d) {
  size_t rank = d.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
    return op->emitOpError("needs operands that are all matrices, or all "
                           "batches of matrices");
  if (rank == 3 && (a[0] != d[0] || b[0] != d[0]))
    return op->emitOpError() << "has batches of " << a[0] << ", " << b[0]
                             << " and " << d[0] << " matrices";
  if (a[rank - 1] != b[rank - 2])
    return op->emitOpError()
           << "has " << a[rank - 1] << " columns on the left, but "
           << b[rank - 2] << " rows on the right";
  if (a[rank - 2] != d[rank - 2] || b[rank - 1] != d[rank - 1])
    return op->emitOpError() << "makes a " << a[rank - 2] << "x" << b[rank - 1]
                             << " matrix, but the accumulator is "
                             << d[rank - 2] << "x" << d[rank - 1];
  return success();
}

LogicalResult tt::DotOp::verify() {
  Type a = getA().getType().getElementType();
  Type b = getB().getType().getElementType();
  Type d = getType().getElementType();
  if (isa<IntegerType>(a) != isa<IntegerType>(b) ||
      isa<IntegerType>(a) != isa<IntegerType>(d) ||
      a.getIntOrFloatBitWidth() != b.getIntOrFloatBitWidth())
    return emitOpError() << "can not multiply " << a << " by " << b
                         << " and add to " << d;
  if (getMaxNumImpreciseAcc() > static_cast<uint32_t>(INT32_MAX))
    return emitOpError("has a negative 'maxNumImpreciseAcc'");
  return verifyProduct(*this, getA().getType().getShape(),
                       getB().getType().getShape(), getType().getShape());
}

/// True if `type` can hold elements of `format`.
static bool holds(Type type, tt::ScaleDotElemType format) {
  switch (format) {
  case tt::ScaleDotElemType::E4M3:
    return isa<Float8E4M3FNType>(type) || type.isInteger(8);
  case tt::ScaleDotElemType::E5M2:
    return isa<Float8E5M2Type>(type) || type.isInteger(8);
  case tt::ScaleDotElemType::E2M3:
  case tt::ScaleDotElemType::E3M2:
  case tt::ScaleDotElemType::E2M1:
    return type.isInteger(8);
  case tt::ScaleDotElemType::BF16:
    return type.isBF16();
  case tt::ScaleDotElemType::FP16:
    return type.isF16();
  }
  llvm_unreachable("all formats are covered");
}

/// Checks the scales of one operand of `shape`, whose dimension `rowDim` is not
/// summed over: each row has one scale for 32 or for 16 elements.
static LogicalResult verifyScale(Operation *op, StringRef side, Value scale,
                                 ArrayRef<int64_t> shape, size_t rowDim,
                                 int64_t depth) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  for (int64_t group : {32, 16}) {
    SmallVector<int64_t> expected(shape.drop_back(2));
    expected.append({shape[rowDim], depth / group});
    if (depth % group == 0 && type.getShape() == ArrayRef(expected))
      return success();
  }
  return op->emitOpError() << "has " << type << " as the scale on the " << side
                           << ", but needs " << shape[rowDim] << "x"
                           << depth / 32 << " or " << shape[rowDim] << "x"
                           << depth / 16 << " of them";
}

LogicalResult tt::DotScaledOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType();
  if (!holds(a.getElementType(), getAElemType()))
    return emitOpError() << "can not read " << a.getElementType() << " as '"
                         << stringifyScaleDotElemType(getAElemType()) << "'";
  if (!holds(b.getElementType(), getBElemType()))
    return emitOpError() << "can not read " << b.getElementType() << " as '"
                         << stringifyScaleDotElemType(getBElemType()) << "'";
  if (a.getRank() < 2 || b.getRank() < 2)
    return emitOpError("needs matrices, or batches of matrices");

  // Two e2m1 share a byte, along one dimension or the other.
  SmallVector<int64_t> aShape(a.getShape()), bShape(b.getShape());
  size_t rank = aShape.size();
  if (getAElemType() == ScaleDotElemType::E2M1)
    aShape[getLhsKPack() ? rank - 1 : rank - 2] *= 2;
  if (getBElemType() == ScaleDotElemType::E2M1)
    bShape[getRhsKPack() ? bShape.size() - 2 : bShape.size() - 1] *= 2;
  if (failed(verifyProduct(*this, aShape, bShape, getType().getShape())))
    return failure();

  int64_t depth = aShape[rank - 1];
  if (failed(verifyScale(*this, "left", getAScale(), aShape, rank - 2, depth)))
    return failure();
  return verifyScale(*this, "right", getBScale(), bShape, rank - 1, depth);
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

static SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    return getElementTypeOrSelf(value.getType());
  });
}

SmallVector<Type> tt::ReduceOp::getElementTypes() {
  return elementTypes(getSrcs());
}

SmallVector<Type> tt::ScanOp::getElementTypes() {
  return elementTypes(getSrcs());
}

/// Checks the operands, the dimension, and the results: of `shape`, or numbers
/// if that has no dimensions.
static LogicalResult verifyOperands(Operation *op, int64_t axis) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (axis < 0 || axis >= type.getRank())
    return op->emitOpError()
           << "works along dimension " << axis << " of a block with "
           << type.getRank() << " dimensions";
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError()
           << "has " << op->getNumOperands() << " operands, but "
           << op->getNumResults() << " results";
  return success();
}

static LogicalResult verifyResults(Operation *op, ArrayRef<int64_t> shape) {
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    Type element = getElementTypeOrSelf(operand.getType());
    Type expected =
        shape.empty() ? element : RankedTensorType::get(shape, element);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Type actual =
        type ? RankedTensorType::get(type.getShape(), type.getElementType())
             : result.getType();
    if (actual != expected)
      return op->emitOpError() << "has the result " << result.getType()
                               << ", but makes " << expected;
  }
  return success();
}

/// Checks that the region takes two elements of each operand and returns one.
static LogicalResult verifyCombiner(Operation *op, Region &region) {
  SmallVector<Type> elements = elementTypes(op->getOperands());
  SmallVector<Type> expected(elements);
  llvm::append_range(expected, elements);
  auto arguments = llvm::to_vector(region.getArgumentTypes());
  if (arguments != expected)
    return op->emitOpError() << "has a region that takes (" << arguments
                             << "), but combines (" << expected << ")";
  Operation *end = region.front().getTerminator();
  if (!isa<tt::ReduceReturnOp, tt::ScanReturnOp>(end))
    return op->emitOpError()
           << "has a region that ends in '" << end->getName() << "'";
  if (llvm::to_vector(end->getOperandTypes()) != elements)
    return end->emitOpError() << "returns (" << end->getOperandTypes()
                              << "), but the elements are (" << elements << ")";
  return success();
}

LogicalResult tt::ReduceOp::verify() {
  int64_t axis = static_cast<int32_t>(getAxis());
  if (failed(verifyOperands(*this, axis)))
    return failure();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(getSrcs().front().getType()).getShape());
  shape.erase(shape.begin() + axis);
  return verifyResults(*this, shape);
}

LogicalResult tt::ReduceOp::verifyRegions() {
  return verifyCombiner(*this, getCombineOp());
}

LogicalResult tt::ScanOp::verify() {
  if (failed(verifyOperands(*this, static_cast<int32_t>(getAxis()))))
    return failure();
  return verifyResults(
      *this, cast<RankedTensorType>(getSrcs().front().getType()).getShape());
}

LogicalResult tt::ScanOp::verifyRegions() {
  return verifyCombiner(*this, getCombineOp());
}
