//===- Verifiers.cpp - What makes a tts operation well formed -------------===//

#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::tts;

/// The shape of a block; empty for a scalar.
static ArrayRef<int64_t> getBlockShape(Type block) {
  if (auto tensor = dyn_cast<RankedTensorType>(block))
    return tensor.getShape();
  return {};
}

/// `block` has static sizes and the elements that lie at `base`.
static LogicalResult verifyBlock(Operation *op, Type block, Type base) {
  auto tensor = dyn_cast<RankedTensorType>(block);
  if (tensor && !tensor.hasStaticShape())
    return op->emitOpError("needs a block of static shape, got ") << block;
  if (!tensor && !block.isIntOrFloat())
    return op->emitOpError("accesses a number or a block of numbers, got ")
           << block;
  Type element = getElementTypeOrSelf(block);
  if (element != getAccessElementType(base))
    return op->emitOpError("accesses elements of type ")
           << element << " through a base of " << getAccessElementType(base);
  if (element.isInteger(1))
    return op->emitOpError("accesses 'i1', which lies in memory as 'i8'");
  return success();
}

/// `value`, if there, has the shape of `block`: a mask or offsets.
static LogicalResult verifySameShape(Operation *op, Type block, Value value,
                                     StringRef what) {
  if (!value)
    return success();
  bool bothScalar =
      !isa<RankedTensorType>(block) && !isa<RankedTensorType>(value.getType());
  bool sameShape = isa<RankedTensorType>(block) &&
                   isa<RankedTensorType>(value.getType()) &&
                   getBlockShape(block) == getBlockShape(value.getType());
  if (bothScalar || sameShape)
    return success();
  return op->emitOpError("has ") << what << " of type " << value.getType()
                                 << " for a block of type " << block;
}

/// `other` is a block like the result, or one number for all its elements.
static LogicalResult verifyOther(Operation *op, Type block, Value other) {
  if (!other || other.getType() == block ||
      other.getType() == getElementTypeOrSelf(block))
    return success();
  return op->emitOpError("has 'other' of type ")
         << other.getType() << " for a block of type " << block;
}

/// `dims` name dimensions of a block of `rank` in ascending order, and there is
/// one operand for each.
static LogicalResult verifyDims(Operation *op, ArrayRef<int64_t> dims,
                                size_t operands, size_t rank, StringRef what) {
  if (dims.size() != operands)
    return op->emitOpError("has ")
           << dims.size() << " " << what << " dimensions but " << operands
           << " operands for them";
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= static_cast<int64_t>(rank) ||
        (index > 0 && dims[index - 1] >= dim))
      return op->emitOpError("names ")
             << what << " dimension " << dim
             << "; they must ascend and lie within the rank of " << rank;
  return success();
}

template <typename AccessOp>
static LogicalResult verifyAccess(AccessOp op, Type block) {
  if (failed(verifyBlock(op, block, op.getBase().getType())))
    return failure();
  ArrayRef<int64_t> shape = getBlockShape(block);
  size_t dynamic = llvm::count_if(op.getStaticStrides(), ShapedType::isDynamic);
  if (op.getStaticStrides().size() != shape.size() ||
      op.getStrides().size() != dynamic)
    return op.emitOpError("has ")
           << op.getStaticStrides().size() << " strides for a block of rank "
           << shape.size();
  if (op.getWrapStarts().size() != op.getWrapSizes().size() ||
      op.getLows().size() != op.getHighs().size())
    return op.emitOpError("has a pair of operand lists of different length");
  if (failed(verifyDims(op, op.getWrappedDims(), op.getWrapSizes().size(),
                        shape.size(), "wrapped")) ||
      failed(verifyDims(op, op.getGatheredDims(), op.getIndices().size(),
                        shape.size(), "gathered")) ||
      failed(verifyDims(op, op.getBoundedDims(), op.getHighs().size(),
                        shape.size(), "bounded")))
    return failure();
  for (auto [dim, indices] :
       llvm::zip_equal(op.getGatheredDims(), op.getIndices())) {
    if (llvm::is_contained(op.getWrappedDims(), dim))
      return op.emitOpError("both wraps and gathers dimension ") << dim;
    if (getBlockShape(indices.getType())[0] != shape[dim])
      return op.emitOpError("gathers dimension ")
             << dim << " of size " << shape[dim] << " by " << indices.getType();
  }
  return verifySameShape(op, block, op.getMask(), "a mask");
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, getType())))
    return failure();
  return verifyOther(*this, getType(), getOther());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getValue().getType());
}

LogicalResult GatherOp::verify() {
  if (failed(verifyBlock(*this, getType(), getBase().getType())) ||
      failed(verifySameShape(*this, getType(), getOffset(), "offsets")) ||
      failed(verifySameShape(*this, getType(), getMask(), "a mask")))
    return failure();
  return verifyOther(*this, getType(), getOther());
}

LogicalResult ScatterOp::verify() {
  Type block = getValue().getType();
  if (failed(verifyBlock(*this, block, getBase().getType())) ||
      failed(verifySameShape(*this, block, getOffset(), "offsets")))
    return failure();
  return verifySameShape(*this, block, getMask(), "a mask");
}

LogicalResult AtomicRMWOp::verify() {
  Type block = getType();
  if (failed(verifyBlock(*this, block, getBase().getType())) ||
      failed(verifySameShape(*this, block, getOffset(), "offsets")) ||
      failed(verifySameShape(*this, block, getMask(), "a mask")))
    return failure();
  bool isFloatKind = llvm::is_contained(
      {AtomicKind::FAdd, AtomicKind::FMax, AtomicKind::FMin}, getKind());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(block));
  if (isFloatKind != isFloat && getKind() != AtomicKind::Exchange)
    return emitOpError("computes '")
           << stringifyAtomicKind(getKind()) << "' on elements of type "
           << getElementTypeOrSelf(block);
  return success();
}

LogicalResult AtomicCASOp::verify() {
  if (failed(verifyBlock(*this, getType(), getBase().getType())))
    return failure();
  return verifySameShape(*this, getType(), getOffset(), "offsets");
}

LogicalResult ScanOp::verify() {
  if (getSources().empty() ||
      TypeRange(getSources()) != TypeRange(getResults()))
    return emitOpError("gives results of the types of its sources");
  ArrayRef<int64_t> shape = getBlockShape(getSources().front().getType());
  if (getAxis() >= shape.size())
    return emitOpError("scans dimension ")
           << getAxis() << " of " << getSources().front().getType();
  for (Type type : getResultTypes())
    if (getBlockShape(type) != shape)
      return emitOpError("scans blocks of one shape, not ") << type;
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  SmallVector<Type> elements;
  for (Type type : getResultTypes())
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> twice = elements;
  llvm::append_range(twice, elements);
  Block &block = getCombine().front();
  if (block.getArgumentTypes() != ArrayRef(twice) ||
      block.getTerminator()->getOperandTypes() != ArrayRef(elements))
    return emitOpError("combines two elements of each source into one");
  return success();
}

LogicalResult HistogramOp::verify() {
  ArrayRef<int64_t> shape = getBlockShape(getSource().getType());
  if (shape.size() != 1 || getBlockShape(getType()).size() != 1)
    return emitOpError("counts the elements of one row in one row, not those "
                       "of ")
           << getSource().getType() << " in " << getType();
  return verifySameShape(*this, getSource().getType(), getMask(), "a mask");
}

LogicalResult ReadMachineOp::verify() {
  Type element = getElementTypeOrSelf(getType());
  unsigned width = getWidth(getName());
  if (element.isInteger(width))
    return success();
  return emitOpError("reads '")
         << stringifyMachineRegister(getName()) << "', which has " << width
         << " bits, as " << element;
}
