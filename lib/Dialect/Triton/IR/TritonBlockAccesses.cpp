//===- TritonBlockAccesses.cpp - Blocks of strided tensors ----------------===//
//
// Verifiers of tensor descriptors and block pointers: as many sizes, strides
// and indices as the block has dimensions, and elements of one type.
//
//===----------------------------------------------------------------------===//

#include "CacheHintsText.h"

using namespace mlir;
namespace tt = mlir::triton;

/// Checks that there are `rank` of the values called `what`.
static LogicalResult verifyCount(Operation *op, StringRef what, size_t count,
                                 int64_t rank) {
  if (static_cast<int64_t>(count) == rank)
    return success();
  return op->emitOpError() << "has " << count << " " << what
                           << " for a block with " << rank << " dimensions";
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

static int64_t getBlockRank(tt::PointerType pointer) {
  return cast<RankedTensorType>(pointer.getPointeeType()).getRank();
}

LogicalResult tt::MakeTensorPtrOp::verify() {
  int64_t rank = getBlockRank(cast<PointerType>(getResult().getType()));
  if (failed(verifyCount(*this, "sizes", getShape().size(), rank)) ||
      failed(verifyCount(*this, "strides", getStrides().size(), rank)) ||
      failed(verifyCount(*this, "offsets", getOffsets().size(), rank)) ||
      failed(verifyCount(*this, "entries in 'order'", getOrder().size(), rank)))
    return failure();
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  for (auto [index, dimension] : llvm::enumerate(sorted))
    if (static_cast<int32_t>(index) != dimension)
      return emitOpError() << "has the order [" << getOrder()
                           << "], which is no permutation of the dimensions";
  return success();
}

LogicalResult tt::AdvanceOp::verify() {
  return verifyCount(*this, "offsets", getOffsets().size(),
                     getBlockRank(cast<PointerType>(getPtr().getType())));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

LogicalResult tt::MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getSignlessBlockType();
  if (failed(verifyCount(*this, "sizes", getShape().size(), block.getRank())) ||
      failed(
          verifyCount(*this, "strides", getStrides().size(), block.getRank())))
    return failure();
  Type pointee = getBase().getType().getPointeeType();
  if (pointee != block.getElementType())
    return emitOpError() << "has a base that points to " << pointee
                         << ", but blocks of " << block.getElementType();
  if (getPadding() == PaddingOption::PAD_NAN &&
      !isa<FloatType>(block.getElementType()))
    return emitOpError() << "pads with NaN, which " << block.getElementType()
                         << " does not have";
  return success();
}

/// Checks an access to one block: its indices, and the type of its value.
static LogicalResult verifyBlockAccess(Operation *op, tt::TensorDescType desc,
                                       size_t numIndices, Type value) {
  RankedTensorType block = desc.getSignlessBlockType();
  if (failed(verifyCount(op, "indices", numIndices, block.getRank())))
    return failure();
  auto type = cast<RankedTensorType>(value);
  if (type.getElementType() != block.getElementType() ||
      type.getNumElements() != block.getNumElements())
    return op->emitOpError()
           << "has a value of type " << value
           << ", but the descriptor has blocks of type " << block;
  return success();
}

LogicalResult tt::DescriptorLoadOp::verify() {
  if (failed(verifyCacheHints(*this)))
    return failure();
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(),
                           getType());
}

LogicalResult tt::DescriptorStoreOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(),
                           getSrc().getType());
}

LogicalResult tt::DescriptorReduceOp::verify() {
  bool isFloat = isa<FloatType>(getSrc().getType().getElementType());
  switch (getKind()) {
  case DescriptorReduceKind::ADD:
  case DescriptorReduceKind::MIN:
  case DescriptorReduceKind::MAX:
    break;
  case DescriptorReduceKind::INC:
  case DescriptorReduceKind::DEC:
  case DescriptorReduceKind::AND:
  case DescriptorReduceKind::OR:
  case DescriptorReduceKind::XOR:
    if (isFloat)
      return emitOpError() << "can not apply '"
                           << stringifyDescriptorReduceKind(getKind())
                           << "' to " << getSrc().getType().getElementType();
  }
  return verifyBlockAccess(*this, getDesc().getType(), getIndices().size(),
                           getSrc().getType());
}

/// Checks an access to rows: blocks are one row of a matrix, and the value has
/// a row for each of the offsets.
static LogicalResult verifyRowAccess(Operation *op, tt::TensorDescType desc,
                                     RankedTensorType rows,
                                     RankedTensorType value) {
  RankedTensorType block = desc.getSignlessBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError() << "needs a descriptor with blocks of one row, "
                                "but they are of type "
                             << block;
  if (rows.getRank() != 1)
    return op->emitOpError() << "needs a list of rows, but got " << rows;
  auto expected = RankedTensorType::get(
      {rows.getDimSize(0), block.getDimSize(1)}, block.getElementType());
  if (value.getShape() != expected.getShape() ||
      value.getElementType() != expected.getElementType())
    return op->emitOpError()
           << "has a value of type " << value
           << ", but the rows make a block of type " << expected;
  return success();
}

LogicalResult tt::DescriptorGatherOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getType());
}

LogicalResult tt::DescriptorScatterOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult tt::DescriptorLoadOp::parse(OpAsmParser &parser,
                                        OperationState &state) {
  OpAsmParser::UnresolvedOperand desc;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  Type descType, result;
  Type i32 = parser.getBuilder().getI32Type();
  if (parser.parseOperand(desc) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parseCacheHints(parser, state) || parser.parseColonType(descType) ||
      parser.parseArrow() || parser.parseType(result) ||
      parser.resolveOperand(desc, descType, state.operands) ||
      parser.resolveOperands(indices, i32, state.operands))
    return failure();
  state.addTypes(result);
  return success();
}

void tt::DescriptorLoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getDesc() << "[" << getIndices() << "]";
  printCacheHints(printer, *this, getCacheHints(*this),
                  NamedAttrList((*this)->getDiscardableAttrDictionary()));
  printer << " : " << getDesc().getType() << " -> " << getType();
}
