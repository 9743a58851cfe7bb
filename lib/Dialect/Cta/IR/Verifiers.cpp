//===- Verifiers.cpp - What makes a cta operation well formed -------------===//
//
// Where tiles have layouts, the layout of a result follows from that of the
// operands: these checks are what later passes rely on.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::cta;

/// `value`, if it has a layout, has the one that `expected` gives.
static LogicalResult
verifyLayout(Operation *op, Value source, Value value,
             llvm::function_ref<LinearLayout(const LinearLayout &)> expected) {
  LayoutAttr from = getLayoutAttr(source.getType());
  LayoutAttr to = getLayoutAttr(value.getType());
  if (!from && !to)
    return success();
  if (!from || !to)
    return op->emitOpError("mixes tiles with and without a layout");
  LinearLayout wanted = expected(from.getLayout());
  if (wanted == to.getLayout())
    return success();
  return op->emitOpError("has a tile of layout ")
         << to << " where " << LayoutAttr::get(op->getContext(), wanted)
         << " follows from the other";
}

LogicalResult LayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (!llvm::all_of(shape, [](int64_t size) {
        return size > 0 && llvm::isPowerOf2_64(size);
      }))
    return emitError() << "a tile has sizes that are powers of two";
  if (!getLayout().covers(shape))
    return emitError() << "a layout gives each element of its tile a place, "
                          "and no place outside of it";
  return success();
}

LogicalResult IotaOp::verify() {
  if (static_cast<int64_t>(getDim()) >= getTile(getResult()).getRank())
    return emitOpError("counts along dimension ")
           << getDim() << " of a tile of rank "
           << getTile(getResult()).getRank();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  if (from.getRank() != to.getRank())
    return emitOpError("keeps the rank");
  SmallVector<unsigned> collapsed;
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    if (from.getDimSize(dim) == 1)
      collapsed.push_back(dim);
    else if (from.getDimSize(dim) != to.getDimSize(dim))
      return emitOpError("repeats dimensions of size one, not dimension ")
             << dim << " of size " << from.getDimSize(dim);
  }
  return verifyLayout(*this, getResult(), getSource(),
                      [&](const LinearLayout &layout) {
                        return layout.collapseDimensions(collapsed);
                      });
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  if (from.getNumElements() != to.getNumElements() ||
      from.getElementType() != to.getElementType())
    return emitOpError("keeps the elements");
  return verifyLayout(*this, getSource(), getResult(),
                      [&](const LinearLayout &layout) {
                        return layout.reshape(from.getShape(), to.getShape());
                      });
}

LogicalResult UnpackE2M1Op::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  int64_t dim = getDim();
  SmallVector<int64_t> shape(from.getShape());
  if (dim < 0 || dim > from.getRank())
    return emitOpError("has no dimension ") << dim << " in its result";
  shape.insert(shape.begin() + dim, 2);
  if (to.getShape() != ArrayRef(shape))
    return emitOpError("adds a dimension of size 2, number ") << dim;
  if (!from.getElementType().isInteger(8) ||
      !isa<BFloat16Type, Float32Type>(to.getElementType()))
    return emitOpError("makes bf16 or f32 of bytes");
  return verifyLayout(*this, getSource(), getResult(),
                      getLayoutOrigin()->follow);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  ArrayRef<int64_t> permutation = getPermutation();
  if (!isPermutationVector(permutation) ||
      from.getRank() != static_cast<int64_t>(permutation.size()) ||
      to.getShape() != ArrayRef(applyPermutation(from.getShape(), permutation)))
    return emitOpError("has a shape that its permutation does not give");
  return verifyLayout(*this, getSource(), getResult(),
                      [&](const LinearLayout &layout) {
                        return layout.transpose(permutation);
                      });
}

LogicalResult ExtractOp::verify() {
  int64_t rank = getTile(getSource()).getRank();
  if (static_cast<int64_t>(getIndices().size()) != rank)
    return emitOpError("needs one index per dimension of the tile: ")
           << rank << ", got " << getIndices().size();
  return success();
}

LogicalResult LookupOp::verify() {
  if (static_cast<int64_t>(getIndices().size()) !=
      getTile(getSource()).getRank())
    return emitOpError("needs one tile of indices per dimension");
  for (Value indices : getIndices()) {
    if (getTile(indices).getShape() != getTile(getResult()).getShape() ||
        !getTile(indices).getElementType().isIntOrIndex())
      return emitOpError("needs integers in the shape of the result, got ")
             << indices.getType();
    if (failed(verifyLayout(*this, getResult(), indices,
                            [](const LinearLayout &layout) { return layout; })))
      return failure();
  }
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("changes nothing but the layout");
  return success();
}

/// `region` takes two elements of each source and yields one of each result.
static LogicalResult verifyCombine(Operation *op, TypeRange results,
                                   Region &region) {
  Block &block = region.front();
  auto yield = cast<YieldOp>(block.getTerminator());
  SmallVector<Type> elements;
  for (Type type : results)
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> twice = elements;
  llvm::append_range(twice, elements);
  if (block.getArgumentTypes() != ArrayRef(twice) ||
      yield.getOperandTypes() != ArrayRef(elements))
    return op->emitOpError("combines two elements of each source into one");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError("has one result per source");
  unsigned axis = getAxis();
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults())) {
    SmallVector<int64_t> shape(getTile(source).getShape());
    if (axis >= shape.size())
      return emitOpError("reduces dimension ")
             << axis << " of " << source.getType();
    shape.erase(shape.begin() + axis);
    if (getTile(result).getShape() != ArrayRef(shape))
      return emitOpError("gives ")
             << result.getType() << " for " << source.getType();
    if (failed(verifyLayout(*this, source, result, getLayoutOrigin()->follow)))
      return failure();
  }
  if (failed(verifyCombine(*this, getResultTypes(), getCombine())))
    return failure();
  if (getSpread() && !isCommutative(getCombine()))
    return emitOpError("spreads what has to be combined in order");
  return success();
}

LogicalResult ScanOp::verify() {
  if (getSources().empty() ||
      TypeRange(getSources()) != TypeRange(getResults()))
    return emitOpError("gives results of the types of its sources");
  for (Value source : getSources()) {
    RankedTensorType type = getTile(source);
    if (static_cast<int64_t>(getAxis()) >= type.getRank())
      return emitOpError("scans dimension ") << getAxis() << " of " << type;
    if (type.getShape() != getTile(getSources().front()).getShape())
      return emitOpError("scans tiles of one shape, not ") << type;
  }
  return verifyCombine(*this, getResultTypes(), getCombine());
}

LogicalResult HistogramOp::verify() {
  if (getTile(getResult()).getRank() != 1)
    return emitOpError("gives one row of counts, not ") << getType();
  if (!getMask())
    return success();
  if (getTile(getMask()).getShape() != getTile(getSource()).getShape())
    return emitOpError("has a mask of another shape than its source");
  return verifyLayout(*this, getSource(), getMask(),
                      [](const LinearLayout &layout) { return layout; });
}

LogicalResult MapOp::verify() {
  SmallVector<Type> elements, results;
  for (Type type : getSources().getTypes())
    elements.push_back(getElementTypeOrSelf(type));
  for (Type type : getResultTypes())
    results.push_back(getElementTypeOrSelf(type));
  Block &block = getBody().front();
  if (block.getArgumentTypes() != ArrayRef(elements) ||
      block.getTerminator()->getOperandTypes() != ArrayRef(results))
    return emitOpError(
        "makes one element of each result of one of each source");
  if (getResults().empty())
    return success();
  Value first = getResults().front();
  for (Value tile : llvm::concat<Value>(getSources(), getResults())) {
    if (getTile(tile).getShape() != getTile(first).getShape())
      return emitOpError("goes through tiles of one shape, not ")
             << tile.getType() << " and " << first.getType();
    if (failed(verifyLayout(*this, first, tile,
                            [](const LinearLayout &layout) { return layout; })))
      return failure();
  }
  return success();
}
